import { join } from 'node:path';
import { ask, bearer } from '../shared/ask.ts';
import { type Request, send, writeRequests } from '../shared/load.ts';
import { counted, percent, table } from '../shared/markdown.ts';
import { cpuBetween, cpuOfEach } from '../shared/postgres.ts';
import { takeSample } from '../shared/sample.ts';
import { mePath } from '../shared/stage.ts';
import { type Middle, middle } from '../shared/statistics.ts';
import { collection, createdAt, declaration, firstDay, idOf, pageSize } from './data.ts';
import { columns } from './fill.ts';
import type { RecordsStage } from './peer.ts';
import { startFurnished } from './start.ts';
import { prepareVestibule } from './vestibule.ts';

/** Measures roles: the same records in a private collection and in one that is shared by invitation. */

type Kind = 'sqlite' | 'postgres';

const shared = 'shared';
const privateOne = declaration.replace('access: { read: everyone }', 'access: { read: owner }');
const withRoles = privateOne.replace(
  'access: { read: owner }',
  `roles: { member: { invited_by: owner } }
access: { read: [owner, member], update: owner, delete: owner }`,
);

/** Callers who own a page of records each and are members of as many. */
const circle = 8;
/** Two more own a page: one is a member of one record, the other of many. */
const [few, many] = [circle, circle + 1];
const manyMemberships = 10_000;
/** Fewer than a caller owns: in both collections the page has a next one, whose cursor is work, too. */
const pageLimit = pageSize - 1;
const owned = (circle + 2) * pageSize;

const works = [
  'one',
  'one_shared',
  'page',
  'page_shared',
  'one_few',
  'one_many',
  'page_few',
  'page_many',
] as const;
type Work = (typeof works)[number];

/** The CPU of a request in microseconds, with that of the database. */
export interface RolesPlace {
  readonly kind: Kind;
  readonly size: number;
  readonly memberships: number;
  readonly rounds: readonly Readonly<Record<Work, number>>[];
}

export async function measureRoles(
  kinds: readonly Kind[],
  stage: RecordsStage,
): Promise<readonly RolesPlace[]> {
  const { sizes, repeat } = stage.options;
  const ends = [...new Set([Math.max(sizes[0] ?? 0, 2 * owned), sizes.at(-1) ?? 0])].filter(
    (size) => size >= 2 * owned,
  );
  const places = [];
  for (const kind of kinds)
    for (const size of ends) places.push({ kind, size, furnished: await furnish(kind, size, stage) });
  const results: RolesPlace[] = places.map(({ kind, size }) => {
    return { kind, size, memberships: membershipsIn(size), rounds: [] };
  });
  for (let round = 1; round <= repeat; round += 1)
    for (const [index, { kind, size, furnished }] of places.entries()) {
      const own = await measureOnce(kind, size, furnished, stage);
      const result = results[index] as RolesPlace;
      results[index] = { ...result, rounds: [...result.rounds, own] };
      const text = works.map((work) => `${work} ${own[work].toFixed()}`).join('  ');
      stage.say(`round ${round}  roles ${kind} ${counted(size)}: ${text} us`);
    }
  return results;
}

function membershipsIn(size: number): number {
  return Math.min(manyMemberships, size - owned);
}

/** The number of a record that one of these callers owns: spread evenly over the table. */
function ownedBy(caller: number, index: number, size: number): number {
  return Math.floor(((index * (circle + 2) + caller) * size) / owned);
}

async function furnish(kind: Kind, size: number, stage: RecordsStage) {
  const ids: string[] = [];
  const declarations = { [collection]: privateOne, [shared]: withRoles };
  const { startable, database } = await prepareVestibule(
    kind,
    `roles-${kind}-${size}`,
    declarations,
    stage,
    async (origin) => {
      for (const token of stage.tokens.slice(0, circle + 40))
        ids.push(JSON.parse((await ask(`${origin}${mePath}`, bearer(token))).body).id);
    },
  );
  await database.fill(size);
  await database.execute(shareAll(kind, size, ids));
  return startable;
}

function* shareAll(kind: Kind, size: number, ids: readonly string[]): Iterable<string> {
  // What the filling gave these callers goes to one who is not measured.
  const measured = ids.slice(0, circle + 2);
  const [other] = ids.slice(-1);
  yield `update records set owner = '${other}' where owner in (${measured.map((id) => `'${id}'`).join()})`;
  for (const [caller, id] of measured.entries()) {
    const own = Array.from({ length: pageSize }, (_, index) => `'${idOf(ownedBy(caller, index, size))}'`);
    yield `update records set owner = '${id}' where collection = '${collection}' and id in (${own.join()})`;
  }
  const [, ...rest] = columns.split(', ');
  yield `insert into records (${columns}) select '${shared}', ${rest.join(', ')} from records where collection = '${collection}'`;
  const bytes = (text: string) => (kind === 'sqlite' ? `x'${text}'` : `'\\x${text}'`);
  let values: string[] = [];
  const insert = () =>
    `insert into members (collection, record_id, role, member, alias, since, record_created_at) values ${values.join()}`;
  for (const { number, member } of members(size, ids)) {
    const alias = bytes(
      Buffer.from(`${number}${member.slice(4)}`)
        .toString('hex')
        .slice(0, 32),
    );
    values.push(
      `('${shared}', '${idOf(number)}', 'member', '${member}', ${alias}, ${firstDay}, ${createdAt(number)})`,
    );
    if (values.length < 500) continue;
    yield insert();
    values = [];
  }
  if (values.length > 0) yield insert();
}

/** A member in every record, besides those of the measured callers. */
function* members(size: number, ids: readonly string[]) {
  const others = ids.slice(circle + 2);
  const of = (caller: number) => ids[caller] as string;
  for (let number = 0; number < size; number += 1)
    yield { number, member: others[number % others.length] as string };
  for (let caller = 0; caller < circle; caller += 1)
    for (let index = 0; index < pageSize; index += 1)
      yield { number: ownedBy((caller + 1) % circle, index, size), member: of(caller) };
  yield { number: ownedBy(0, 0, size), member: of(few) };
  const step = Math.floor(size / membershipsIn(size));
  const own = new Set(Array.from({ length: pageSize }, (_, index) => ownedBy(many, index, size)));
  for (let index = 0; index < membershipsIn(size); index += 1)
    if (!own.has(index * step)) yield { number: index * step, member: of(many) };
}

async function measureOnce(
  kind: Kind,
  size: number,
  furnished: Awaited<ReturnType<typeof furnish>>,
  stage: RecordsStage,
): Promise<Readonly<Record<Work, number>>> {
  const { seconds } = stage.options;
  const server = await startFurnished({ name: `roles-${kind}` }, furnished);
  const pids = () => (kind === 'postgres' ? stage.postgres.pids() : []);
  const results: Partial<Record<Work, number>> = {};
  try {
    for (const [work, requests] of Object.entries(requestsIn(size, stage.tokens)) as [Work, Request[]][]) {
      await checkOne(furnished.origin, requests[0] as Request, work);
      const file = writeRequests(join(furnished.folder, `${work}.txt`), requests);
      const load = (lasts: number) =>
        send(stage.generator, { origin: furnished.origin, requests: file, seconds: lasts });
      await load(2);
      const before = cpuOfEach(pids());
      const { cpuMicroseconds, requests: count } = await takeSample(server.pid, () => load(seconds));
      results[work] = cpuMicroseconds + (cpuBetween(before, cpuOfEach(pids())) * 1e6) / count;
    }
  } finally {
    await server.stop();
  }
  return results as Record<Work, number>;
}

function requestsIn(size: number, tokens: readonly string[]): Readonly<Record<Work, readonly Request[]>> {
  const get = (caller: number, path: string): Request => {
    return { method: 'GET', path: `/api/consumer/v1/${path}`, token: tokens[caller] as string };
  };
  const everyone = Array.from(
    { length: circle * pageSize },
    (_, index) => [index % circle, Math.floor(index / circle)] as const,
  );
  const page = `?limit=${pageLimit}`;
  // A member of both, so that the two differ in their memberships only.
  const common = `${shared}/${idOf(ownedBy(0, 0, size))}`;
  return {
    one: everyone.map(([caller, index]) =>
      get(caller, `${collection}/${idOf(ownedBy(caller, index, size))}`),
    ),
    one_shared: everyone.map(([caller, index]) =>
      get(caller, `${shared}/${idOf(ownedBy((caller + 1) % circle, index, size))}`),
    ),
    page: everyone.map(([caller]) => get(caller, `${collection}${page}`)),
    page_shared: everyone.map(([caller]) => get(caller, `${shared}${page}`)),
    one_few: [get(few, common)],
    one_many: [get(many, common)],
    page_few: [get(few, `${shared}${page}`)],
    page_many: [get(many, `${shared}${page}`)],
  };
}

async function checkOne(origin: string, { path, token }: Request, work: Work): Promise<void> {
  const { status, body } = await ask(`${origin}${path}`, bearer(token));
  if (status !== 200) throw new Error(`${work} was answered with ${status}: ${body}`);
  const { items, roles } = JSON.parse(body);
  if (work.startsWith('page') && items.length !== pageLimit)
    throw new Error(`${work} has ${items.length} records.`);
  if (['one_shared', 'one_few', 'one_many'].includes(work) && !roles.includes('member'))
    throw new Error(`${work} is not of a member.`);
}

export function rolesTable(places: readonly RolesPlace[]): string {
  const ratio = (name: string, of: readonly Middle[], limit: number) =>
    of.map(({ value, spread }) => [name, value.toFixed(2), percent(spread), limit.toFixed(1)]);
  const between = (one: RolesPlace, top: Work, other: RolesPlace, bottom: Work) =>
    middle(one.rounds.map((round, index) => round[top] / (other.rounds[index] ?? round)[bottom]));
  const rows = [...Map.groupBy(places, ({ kind }) => kind)].flatMap(([kind, own]) => {
    const title = kind === 'sqlite' ? 'SQLite' : 'PostgreSQL';
    const [min, max] = [own[0] as RolesPlace, own.at(-1) as RolesPlace];
    const growth = `${counted(min.size)} to ${counted(max.size)} records`;
    const more = `1 to ${counted(max.memberships)} memberships`;
    return [
      ...own.flatMap((place) => {
        const at = `${title}, ${counted(place.size)} records`;
        return [
          ...ratio(
            `${at}: one with roles, against one without`,
            [between(place, 'one_shared', place, 'one')],
            1.3,
          ),
          ...ratio(
            `${at}: page of own and shared, against own`,
            [between(place, 'page_shared', place, 'page')],
            1.5,
          ),
        ];
      }),
      ...ratio(`${title}, ${growth}: one`, [between(max, 'one_shared', min, 'one_shared')], 1.2),
      ...ratio(`${title}, ${growth}: page`, [between(max, 'page_shared', min, 'page_shared')], 1.2),
      ...ratio(`${title}, ${more}: one`, [between(max, 'one_many', max, 'one_few')], 1.1),
      ...ratio(`${title}, ${more}: page`, [between(max, 'page_many', max, 'page_few')], 1.1),
    ];
  });
  return table(
    "**What roles cost** (CPU of a request, the database's too)",
    ['ratio', 'its spread', 'at most'],
    rows,
  );
}
