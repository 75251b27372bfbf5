import type { Database } from '../shared/database.ts';
import { firstDay, noteText } from './data.ts';

/** SQL that fills the tables, a statement for each kind of row. */

interface Filled {
  readonly collection: string;
  /** The numbers of the records: from this one on, so many. */
  readonly first: number;
  readonly count: number;
  /** They own the records in turn; all callers unless told. */
  readonly owners?: readonly string[];
  readonly state: string | null;
  /** SQL of the number of the circle that they are under. */
  readonly circle?: string;
  /** SQL of the body, made from `n`. */
  readonly body: string;
}

export const circleBody = `'{"title":"a circle"}'`;

/** The number of the circle is SQL, too. */
export function noteBody(database: Database, circle: string): string {
  return `'{"circle":"' || ${idIn(database, circle)} || '","text":"${noteText}","stars":' || (n % 5) || '}'`;
}

export function fillRecords(database: Database, filled: Filled): string {
  const { collection, first, count, owners, state, circle, body } = filled;
  const parent = circle === undefined ? 'null' : idIn(database, circle);
  const callers =
    owners === undefined
      ? 'select row_number() over (order by id) - 1, id from consumers'
      : `values ${owners.map((id, index) => `(${index}, '${id}')`).join()}`;
  return `insert into records (collection, id, owner, parent_id, state, revision, created_at, updated_at, body)
    with recursive numbers(n) as (
      select cast(${first} as bigint) union all select n + 1 from numbers where n < ${first + count - 1}),
    callers(place, id) as (${callers}), many(m) as (select count(*) from callers),
    made(id, owner, n, body) as (select ${idIn(database, 'n')}, callers.id, n, ${body}
      from numbers join many on true join callers on callers.place = n % m)
    select '${collection}', id, owner, ${parent}, ${state === null ? 'null' : `'${state}'`}, ${hex(database, 'n', 16)},
      ${firstDay} + n * 1000, ${firstDay} + n * 1000, body from made`;
}

export const countUsage = `insert into usage
  (owner, collection, records, writes, writes_since, newcomer_writes, newcomer_since)
  select owner, collection, count(*), 0, 0, 0, 0 from records group by owner, collection`;

export const ageCallers = `update consumers set registered_at = ${firstDay}`;

/** Each caller becomes a member of so many of the circles, which are numbered from 0. */
export function fillMembers(database: Database, each: number, circles: number): string {
  const alias = database === 'sqlite' ? 'randomblob(16)' : 'uuid_send(gen_random_uuid())';
  return `insert into members (collection, record_id, role, member, alias, since, record_created_at)
    with recursive places(k) as (select 0 union all select k + 1 from places where k < ${each - 1}),
    callers(place, id) as (select row_number() over (order by id) - 1, id from consumers),
    joined(n, id) as (select cast((place * ${each} + k) % ${circles} as bigint), id from callers cross join places)
    select 'circles', ${idIn(database, 'n')}, 'member', id, ${alias}, ${firstDay}, ${firstDay} + n * 1000 from joined`;
}

function idIn(database: Database, number: string): string {
  const time = `(${firstDay} + (${number}) * 1000)`;
  const parts = [hex(database, `(${time} >> 16)`, 8), hex(database, `(${time} & 65535)`, 4)];
  return `${parts.join(` || '-' || `)} || '-7000-8000-' || ${hex(database, `(${number})`, 12)}`;
}

function hex(database: Database, value: string, digits: number): string {
  return database === 'sqlite'
    ? `printf('%0${digits}x', ${value})`
    : `lpad(to_hex(${value}), ${digits}, '0')`;
}
