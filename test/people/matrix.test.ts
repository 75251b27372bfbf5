import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { describe, it } from 'node:test';
import { declarationsFolder } from '../support/declared-processes.ts';
import { type DeclaredService, declaredService } from '../support/declared-service.ts';
import { EventStream } from '../support/event-stream.ts';
import { newDirectory, succeeded } from '../support/outcome.ts';
import { runVestibule } from '../support/service.ts';
import { Cast, type Place, placesOf, requiredFields, type Step } from './cast.ts';
import { peopleDeclarations } from './declarations.ts';
import { type Expected, type Row, readExpected, type State, sampleOf } from './expected-matrix.ts';
import { type Answered, Person } from './person.ts';

/** Every cell (role, state, verb) of the declarations with roles, with real tokens, and with streams. */

const declarations = {
  ...Object.fromEntries(
    globSync('collections/*.yaml')
      .map((path) => [basename(path, '.yaml'), readFileSync(path, 'utf8')] as const)
      .filter(([, text]) => /^roles:/m.test(text)),
  ),
  ...peopleDeclarations,
};
const shared = Object.entries(declarations).map(([name, text]) => readExpected(name, text));
/** By the event of a record here every stream learns that nothing more comes. */
const marks =
  'schema: { properties: { n: { type: integer } } }\naccess: { clients: own }\nlimits: { writes: 10000/min }\n';
const folder = declarationsFolder({ ...declarations, marks });

const refusedHere = ['role_required', 'action_not_allowed', 'invalid_transition', 'not_editable'];

describe('the printed matrix', () => {
  it('says what the declarations say', async () => {
    const output = await runVestibule(
      { TEST_DIRECTORY: newDirectory() },
      'check',
      folder,
      '--matrix',
      '--json',
    );
    const { collections } = JSON.parse(succeeded(output));
    for (const { name, states, rows } of shared) {
      const printed = collections.find((one: { name: string }) => one.name === name);
      assert.deepEqual(printed?.states, states, name);
      assert.deepEqual(printed.rows, rows, name);
    }
  });
});

for (const engine of ['sqlite', 'postgres'] as const)
  describe(`every cell of the matrix, on ${engine}`, () => {
    const target = declaredService(engine, {
      settings: { COLLECTIONS_DIR: folder, NEWCOMERS_PER_HOUR: '1000000' },
      clients: { clerk: [], inspector: ['sites.inspect'] },
    });
    for (const expected of shared) {
      it(`is what requests to ${expected.name} get`, () => visitRequests(target(), expected));
      it(`is what streams tell of ${expected.name}`, () => visitStreams(target(), expected));
    }

    it('has no action that grants a role for a machine client, whatever its scopes are', async () => {
      const sites = shared.find(({ name }) => name === 'sites');
      assert.ok(sites);
      const cast = new Cast(target(), sites);
      await cast.begin();
      await cast.walk(placesOf(sites).find(({ state }) => state === 'open')?.steps ?? []);
      const inspector = new Person(await target().machine('inspector'));
      assert.deepEqual((await inspector.get(cast.path)).body.actions, []);
      assert.equal((await cast.act(inspector, 'survey')).body.code, 'action_not_allowed');
      assert.deepEqual((await (await cast.as('inspector')).get(cast.path)).body.actions, ['survey']);
    });
  });

async function visitRequests(target: DeclaredService, expected: Expected): Promise<void> {
  const places = placesOf(expected);
  const roles = [...new Set(expected.rows.map(({ role }) => role))];
  for (const role of roles)
    for (const state of expected.states) {
      const isGranted = expected.origins[role] === 'granted';
      const place = places.find((one) => one.state === state && (!isGranted || one.held.includes(role)));
      // A role that an action has taken away is nobody's in that state.
      if (place === undefined) assert.ok(isGranted, `${expected.name}: no way to ${state} for ${role}`);
      else await visitCells(target, expected, role, place);
    }
  if (expected.clients === 'own') for (const place of places) await visitOthers(target, expected, place);
}

/** All verbs of a role in a state. Those that would end it have a record of their own. */
async function visitCells(
  target: DeclaredService,
  expected: Expected,
  role: string,
  place: Place,
): Promise<void> {
  const { state } = place;
  const isAllowed = ({ verb }: Row) => expected.may(role, verb, state);
  const isLasting = ({ verb }: Row) =>
    ['create', 'read', 'update'].includes(verb) || verb.startsWith('invite ');
  const rows = expected.rows.filter((row) => row.role === role);
  const lasting = rows.filter((row) => isLasting(row) || !isAllowed(row));
  const ending = rows.filter((row) => !lasting.includes(row));
  const begin = async () => {
    const cast = new Cast(target, expected);
    await cast.begin(role === 'client' && expected.clients === 'own' ? 'client' : 'owner');
    await cast.walk(place.steps);
    return cast;
  };
  let cast = await begin();
  for (const { verb } of lasting) await visitCell(cast, expected, { role, verb, state });
  for (const [index, { verb }] of ending.entries()) {
    if (index > 0) cast = await begin();
    await visitCell(cast, expected, { role, verb, state });
  }
}

interface Cell {
  readonly role: string;
  readonly verb: string;
  readonly state: State;
}

async function visitCell(cast: Cast, expected: Expected, cell: Cell): Promise<void> {
  const { role, verb, state } = cell;
  const person = await cast.as(role);
  const isAllowed = expected.may(role, verb, state);
  const what = `${expected.name}: ${role} ${isAllowed ? 'may' : 'must not'} ${verb} in ${state}`;
  const answered = await attempt(cast, expected, person, verb);
  const { status, body } = answered;
  if (verb === 'create') {
    const mayCreate =
      expected.rows.find((row) => row.role === role && row.verb === verb)?.states.length !== 0;
    assert.equal(status, mayCreate ? 201 : 403, what);
  } else if (isAllowed) assert.ok(status < 300, `${what}: ${status} ${JSON.stringify(body)}`);
  else if (!expected.may(role, 'read', state)) assert.equal(status, 404, what);
  else assert.ok(refusedHere.includes(body?.code), `${what}: ${status} ${JSON.stringify(body)}`);
  if (verb !== 'read') return;
  if (isAllowed) {
    const actions = expected.rows.filter((row) => row.role === role && isAction(expected, row.verb));
    const allowed = actions.filter((row) => row.states.includes(state)).map((row) => row.verb);
    assert.deepEqual((body.actions ?? []).toSorted(), allowed.toSorted(), what);
    assert.equal(body.state ?? null, state, what);
  }
  const listed = await person.get(`${expected.name}?limit=200${listOf(expected, role)}`);
  const ids = listed.body.items.map(({ id }: { id: string }) => id);
  assert.equal(ids.includes(cast.id), isAllowed, `${what}, in a list`);
}

/** The list in which a role finds its records. */
function listOf({ origins, clients }: Expected, role: string): string {
  if (role === 'owner' || (role === 'client' && clients === 'own')) return '&mine=true';
  return ['invited', 'granted'].includes(String(origins[role])) ? `&role=${role}` : '';
}

function isAction({ actions }: Expected, verb: string): boolean {
  return [...actions.values()].some((of) => Object.hasOwn(of, verb));
}

function attempt(cast: Cast, expected: Expected, person: Person, verb: string): Promise<Answered> {
  const { name, fields } = expected;
  const [field = ''] = fields.required ?? [];
  if (verb === 'create') return person.post(name, requiredFields(expected));
  if (verb === 'read') return person.get(cast.path);
  if (verb === 'update') return person.patch(cast.path, { [field]: sampleOf(fields, field, 2) });
  if (verb === 'delete') return person.delete(cast.path);
  if (verb.startsWith('invite ')) return person.post(`${cast.path}/invitations`, { role: verb.slice(7) });
  return cast.act(person, verb);
}

/** A machine client that has only its own records can do nothing with those of people. */
async function visitOthers(target: DeclaredService, expected: Expected, place: Place): Promise<void> {
  const cast = new Cast(target, expected);
  await cast.begin();
  await cast.walk(place.steps);
  const client = await cast.as('client');
  const verbs = new Set(expected.rows.map(({ verb }) => verb).filter((verb) => verb !== 'create'));
  for (const verb of verbs) {
    const { status } = await attempt(cast, expected, client, verb);
    assert.equal(status, 404, `${expected.name}: a client must not ${verb} others' in ${place.state}`);
  }
}

/** What happened to a record, and between which states; undefined: it was not there. */
interface Happened {
  readonly type: string;
  readonly before: State | undefined;
  readonly after: State | undefined;
  readonly holders: readonly string[];
}

async function visitStreams(target: DeclaredService, expected: Expected): Promise<void> {
  const roles = [...new Set(expected.rows.map(({ role }) => role))];
  for (const place of placesOf(expected)) {
    const cast = new Cast(target, expected);
    await cast.begin();
    const streams = new Map<string, EventStream>();
    // Events of records that everyone can read come to people who ask for the collection.
    for (const role of roles) {
      const query = role === 'everyone' || role === 'client' ? `?collection=${expected.name},marks` : '';
      streams.set(role, await EventStream.open((await cast.as(role)).caller, { query }));
    }
    await cast.walk(place.steps);
    const happened = [
      ...place.steps.map((step) => taken(expected, step)),
      ...(await touch(cast, expected, place)),
    ];
    for (const [role, stream] of streams) {
      const mark = await (await cast.as(role)).make('marks', {});
      await stream.until((all) => all.some(({ data }) => data.data?.id === mark), 'the mark does not come');
      assertHeard(expected, role, happened, stream, cast.id);
      stream.close();
    }
  }
}

function taken({ name }: Expected, { from, to, before, held }: Step): Happened {
  return { type: `${name}.${to}`, before: from, after: to, holders: [...before, ...held] };
}

/** Something that happens in the state alone: a change of the fields, and then the end of the record. */
async function touch(cast: Cast, expected: Expected, { state, held }: Place): Promise<readonly Happened[]> {
  const { name, origins, rows, clients } = expected;
  const isThere = (role: string) =>
    (origins[role] !== 'granted' || held.includes(role)) && !(role === 'client' && clients === 'own');
  const happened: Happened[] = [];
  for (const verb of ['update', 'delete']) {
    const by = rows.find((row) => row.verb === verb && row.states.includes(state) && isThere(row.role));
    if (by === undefined) continue;
    const { status } = await attempt(cast, expected, await cast.as(by.role), verb);
    assert.ok(status < 300);
    const isChange = verb === 'update';
    const after = isChange ? state : undefined;
    happened.push({
      type: `${name}.${isChange ? 'changed' : 'deleted'}`,
      before: state,
      after,
      holders: held,
    });
  }
  return happened;
}

/** A role hears of exactly what it could read before or after, and gets the fields if it can read them now. */
function assertHeard(
  expected: Expected,
  role: string,
  happened: readonly Happened[],
  stream: EventStream,
  id: string,
): void {
  // With "own", a machine client hears nothing of records that are not its own.
  const isOutside = role === 'client' && expected.clients === 'own';
  const reads = (state: State | undefined) => !isOutside && expected.may(role, 'read', state);
  const isHolder = ({ holders }: Happened) => expected.origins[role] !== 'granted' || holders.includes(role);
  const due = happened
    .filter((one) => isHolder(one) && (reads(one.before) || reads(one.after)))
    .map((one) => `${one.type}${expected.hasFullEvents && reads(one.after) ? ' with fields' : ''}`);
  const heard = stream.events
    .filter(({ type, data }) => data.data.id === id && !/\.(joined|left)$/.test(type))
    .map(({ type, data }) => `${type}${'fields' in data.data ? ' with fields' : ''}`);
  assert.deepEqual(heard, due, `${expected.name}: what ${role} hears`);
}
