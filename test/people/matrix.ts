import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { describe, it } from 'node:test';
import { EventStream } from '../support/http/event-stream.ts';
import { peopleDeclarations } from '../support/people/declarations.ts';
import { exampleDeclarations } from '../support/people/examples.ts';
import { type Answered, Person } from '../support/people/person.ts';
import { declarationsFolder } from '../support/services/declarations.ts';
import { type Deployment, deployment } from '../support/services/deployment.ts';
import type { DatabaseEngine } from '../support/services/service.ts';
import { Cast, type Place, type PlaceAbove, placesAbove, placesOf, type Step } from './cast.ts';
import { type Expected, type Row, readAllExpected, type State, sampleOf } from './expected-matrix.ts';

/**
 * Every cell (role, state, verb) of the declarations with roles and of all examples, with real tokens, and with streams. Records under
 * others are visited in every state of their parent.
 */

const declarations = {
  ...Object.fromEntries(
    globSync('collections/*.yaml')
      .map((path) => [basename(path, '.yaml'), readFileSync(path, 'utf8')] as const)
      .filter(([, text]) => /^roles:/m.test(text)),
  ),
  ...peopleDeclarations,
  // Some of the same names: these replace them.
  ...Object.fromEntries(
    Object.entries(exampleDeclarations('*')).map(([name, text]) => [name, `${text}\nevents: full\n`]),
  ),
};
export const shared = readAllExpected(declarations);
/** By the event of a record here every stream learns that nothing more comes. */
const marks =
  'schema: { properties: { n: { type: integer } } }\naccess: { clients: own }\nlimits: { writes: 10000/min }\n';
export const folder = declarationsFolder({ ...declarations, marks });

const refusedHere = ['role_required', 'action_not_allowed', 'invalid_transition', 'not_editable'];

/** Declares the tests of one database. */
export function describeMatrix(engine: DatabaseEngine): void {
  describe(`every cell of the access matrix, on ${engine}`, () => {
    const target = deployment({
      engine,
      declarations: folder,
      settings: { NEWCOMERS_PER_HOUR: '1000000' },
      clients: { clerk: [], inspector: ['sites.inspect'] },
    });
    for (const expected of shared) {
      // What the state of the parent changes is decided without the database: once is enough.
      const above = placesAbove(expected).filter((one) => engine === 'sqlite' || !one?.after?.length);
      it(`agrees with the answers to requests to ${expected.name}`, () =>
        visitRequests(target(), expected, above));
      it(`agrees with the events on streams of ${expected.name}`, () => visitStreams(target(), expected));
    }

    it('an action that grants a role is never offered to a machine client', async () => {
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
}

/** A place of the record, and of the one above it. */
interface Places {
  readonly place: Place;
  readonly above: PlaceAbove | undefined;
}

async function visitRequests(
  target: Deployment,
  expected: Expected,
  placesOfParent: ReturnType<typeof placesAbove>,
): Promise<void> {
  const places = placesOf(expected);
  const roles = [...new Set(expected.rows.map(({ role }) => role))];
  const visits = roles.flatMap((role) =>
    expected.states.flatMap((state) => {
      const isGranted = expected.origins[role] === 'granted';
      const place = places.find((one) => one.state === state && (!isGranted || one.held.includes(role)));
      // No one has a revoked role in that state.
      if (place === undefined) assert.ok(isGranted, `${expected.name}: no way to ${state} for ${role}`);
      return place === undefined ? [] : [{ role, place }];
    }),
  );
  for (const above of placesOfParent) {
    if (above?.after === null) await visitUnborn(target, expected, above);
    else
      for (const [place, of] of Map.groupBy(visits, (visit) => visit.place))
        await visitPlace(
          target,
          expected,
          { place, above },
          of.map(({ role }) => role),
        );
  }
  if (expected.clients === 'own') for (const place of places) await visitOthers(target, expected, place);
}

/** All verbs of these roles in a place. Those that would end it have a record of their own. */
async function visitPlace(
  target: Deployment,
  expected: Expected,
  places: Places,
  roles: readonly string[],
): Promise<void> {
  const { place, above } = places;
  const { state } = place;
  const isOwn = (role: string) => role === 'client' && expected.clients === 'own';
  const isLasting = ({ role, verb }: Row) =>
    ['create', 'read', 'update'].includes(verb) ||
    verb.startsWith('invite ') ||
    !expected.personMay(role, verb, state, { above: above?.state }) ||
    refusalAbove(expected, verb, places) !== null;
  const begin = async (role: string) => {
    const cast = new Cast(target, expected);
    await cast.begin({ owner: isOwn(role) ? 'client' : 'owner', above, isFull: place.isFull });
    await cast.walk(place.steps);
    await cast.parent?.walk(above?.after ?? []);
    return cast;
  };
  const rows = expected.rows.filter(({ role }) => roles.includes(role));
  const lasting = Map.groupBy(rows.filter(isLasting), ({ role }) => isOwn(role));
  for (const some of lasting.values()) {
    const cast = await begin(String(some[0]?.role));
    for (const { role, verb } of some) await visitCell(cast, expected, { role, verb, ...places });
  }
  // In further states of the parent it is enough that such verbs are among the actions that the record offers.
  if (above !== undefined && above.after?.length !== 0) return;
  for (const row of rows)
    if (!isLasting(row)) await visitCell(await begin(row.role), expected, { ...row, ...places });
}

/** Creates under a parent that has not come to where it accepts records. */
async function visitUnborn(target: Deployment, expected: Expected, above: PlaceAbove): Promise<void> {
  const cast = new Cast(target, expected);
  await cast.beginAbove(above);
  for (const { role, verb } of expected.rows) {
    if (verb !== 'create') continue;
    const { status, body } = await (await cast.as(role)).post(expected.name, cast.fields);
    assertCreated(expected, { role, above }, status, body);
  }
}

/** The refusal of what a role may do, because of the parent or its places; null: none. */
function refusalAbove(
  { family, actions, states }: Expected,
  verb: string,
  { place: { state }, above }: Places,
): string | null {
  const action = actions.get(state)?.[verb];
  if (family === null || above === undefined || action === undefined) return null;
  const { accepts, overflow } = family;
  if (action.whileAccepted && accepts !== null && !accepts.includes(above.state)) return 'parent_closed';
  return overflow !== null && state === overflow && action.to === states[0] ? 'no_capacity' : null;
}

interface Cell extends Places {
  readonly role: string;
  readonly verb: string;
}

async function visitCell(cast: Cast, expected: Expected, cell: Cell): Promise<void> {
  const { role, verb, above } = cell;
  const { state } = cell.place;
  const person = await cast.as(role);
  const isAllowed = expected.personMay(role, verb, state, { above: above?.state });
  const under = above === undefined ? '' : ` under one in ${above.state}`;
  const what = `${expected.name}: ${role} ${isAllowed ? 'may' : 'must not'} ${verb} in ${state}${under}`;
  const { status, body } = await attempt(cast, expected, person, verb);
  if (verb === 'create') return assertCreated(expected, cell, status, body);
  const isSeen = expected.personMay(role, 'read', state, { above: above?.state });
  const refusal = refusalAbove(expected, verb, cell);
  if (isAllowed && refusal !== null) assert.equal(body?.code, refusal, what);
  else if (isAllowed) assert.ok(status < 300, `${what}: ${status} ${JSON.stringify(body)}`);
  else if (!isSeen) assert.equal(status, 404, what);
  else assert.ok(refusedHere.includes(body?.code), `${what}: ${status} ${JSON.stringify(body)}`);
  if (verb !== 'read') return;
  if (isAllowed) {
    const actions = Object.keys(expected.actions.get(state) ?? {});
    const allowed = actions.filter(
      (one) =>
        expected.personMay(role, one, state, { above: above?.state }) &&
        refusalAbove(expected, one, cell) !== 'parent_closed',
    );
    assert.deepEqual((body.actions ?? []).toSorted(), allowed.toSorted(), what);
    assert.equal(body.state ?? null, state, what);
  }
  if (expected.hasHistory)
    assert.equal((await person.get(`${cast.path}/history`)).status, isAllowed ? 200 : 404, what);
  await visitLists(cast, expected, cell, isAllowed);
}

/** A parent that cannot be read is not there; then comes the role, then whether the parent accepts records. */
function assertCreated(
  { name, states, family, ...expected }: Expected,
  { role, above }: Pick<Cell, 'role' | 'above'>,
  status: number,
  // biome-ignore lint/suspicious/noExplicitAny: whatever the service has answered
  body: any,
): void {
  const what = `${name}: ${role} creates, under ${above?.state}: ${status} ${JSON.stringify(body)}`;
  if (family !== null && !family.reads(role, above?.state)) {
    assert.equal(status, 422, what);
    assert.equal(body.errors[0].pointer, `/${family.field}`, what);
  } else if (!expected.personMay(role, 'create', states[0], { above: above?.state }))
    assert.deepEqual([status, body.code], [403, 'role_required'], what);
  else if (family !== null && family.accepts !== null && !family.accepts.includes(above?.state ?? null))
    assert.deepEqual([status, body.code], [409, 'parent_closed'], what);
  else assert.equal(status, 201, what);
}

/** A record is in the lists of a caller if the caller can read it. */
async function visitLists(cast: Cast, expected: Expected, cell: Cell, isListed: boolean): Promise<void> {
  const { name, family } = expected;
  const { role, above } = cell;
  const person = await cast.as(role);
  const own = listOf(expected, role);
  const lists = family === null ? [own] : [`&${family.field}=${cast.parent?.id}`, ...(own ? [own] : [])];
  for (const list of lists) {
    const { status, body } = await person.get(`${name}?limit=200${list}`);
    const what = `${name}: the list of ${role}, ${list}, under ${above?.state}: ${JSON.stringify(body)}`;
    if (list !== own && !family?.reads(role, above?.state)) assert.equal(status, 404, what);
    else
      assert.equal(
        body.items?.some(({ id }: { id: string }) => id === cast.id),
        isListed,
        what,
      );
    await visitCount(person, name, list, { status, body }, what);
  }
}

/** A count is of what the list has, and is refused as that is, or because the list is everybody's. */
async function visitCount(
  person: Person,
  name: string,
  list: string,
  { status, body }: Pick<Answered, 'status' | 'body'>,
  what: string,
): Promise<void> {
  const counted = await person.get(`${name}/count?${list.slice(1)}`);
  if (counted.status === 400 && status === 200) assert.match(counted.body.detail, /everybody/, what);
  else if (status === 200) assert.deepEqual(counted.body, { count: body.items.length }, what);
  else assert.deepEqual([counted.status, counted.body.code], [status, body.code], what);
}

/** The list in which a role finds its records; under a parent '' for roles that have none but that of the parent. */
function listOf({ origins, clients, family }: Expected, role: string): string {
  if (role === 'owner' && family?.isParents) return '';
  if (role === 'owner' || (role === 'client' && clients === 'own')) return '&mine=true';
  return ['invited', 'granted'].includes(String(origins[role])) ? `&role=${role}` : '';
}

function attempt(cast: Cast, expected: Expected, person: Person, verb: string): Promise<Answered> {
  const { name, fields } = expected;
  const [field = ''] = [...(fields.required ?? []), ...Object.keys(fields.properties)];
  if (verb === 'create') return person.post(name, cast.fields);
  if (verb === 'read') return person.get(cast.path);
  if (verb === 'update')
    return person.send('PATCH', cast.path, { [field]: sampleOf(fields, field, 2) }, cast.version);
  if (verb === 'delete') return person.send('DELETE', cast.path, undefined, cast.version);
  if (verb.startsWith('invite ')) return person.post(`${cast.path}/invitations`, { role: verb.slice(7) });
  return cast.act(person, verb);
}

/** A machine client that has only its own records can do nothing with those of people. */
async function visitOthers(target: Deployment, expected: Expected, place: Place): Promise<void> {
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

async function visitStreams(target: Deployment, expected: Expected): Promise<void> {
  const roles = [...new Set(expected.rows.map(({ role }) => role))];
  for (const place of placesOf(expected)) {
    const cast = new Cast(target, expected);
    await cast.begin({ isFull: place.isFull });
    const streams = new Map<string, EventStream>();
    // Events of records that everyone can read come to people who ask for the collection.
    for (const role of roles) {
      const query = queryOf(cast, expected, role);
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

function queryOf(cast: Cast, { name, family }: Expected, role: string): string {
  if (family !== null) return role === 'everyone' && family.reads(role) ? `?in=${cast.parent?.path}` : '';
  return role === 'everyone' || role === 'client' ? `?collection=${name},marks` : '';
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
  const isHolder = ({ holders }: Happened) => expected.origins[role] !== 'granted' || holders.includes(role);
  const reads = (one: Happened, state: State | undefined) =>
    (isHolder(one) || expected.family !== null) &&
    !isOutside &&
    expected.personMay(role, 'read', state, { held: one.holders });
  const due = happened
    .filter((one) => reads(one, one.before) || reads(one, one.after))
    .map((one) => `${one.type}${expected.hasFullEvents && reads(one, one.after) ? ' with fields' : ''}`);
  const heard = stream.events
    .filter(({ type, data }) => data.data.id === id && !/\.(joined|left)$/.test(type))
    .map(({ type, data }) => `${type}${'fields' in data.data ? ' with fields' : ''}`);
  assert.deepEqual(heard, due, `${expected.name}: what ${role} hears`);
}
