import { hash } from 'node:crypto';
import type { NewEvent, StoredRecord } from '../../src/storage/port.ts';
import type { MeasuredPostgres } from './server.ts';

export const collection = 'listings';
/** Private, with one field to sort by. */
export const declared = {
  name: collection,
  index: [{ name: 'starts_at', kind: 'text' }],
  listedByOthers: false,
  expires: false,
} as const;

const recordsOfOwner = 10;
const keptMs = 30 * 86_400_000;

/** So many consumers, records and events, one record in each of thirty days' moments, and its event. Everything is made from a number. */
export class Population {
  readonly count: number;
  readonly owners: number;
  readonly firstAt = Date.now() - keptMs;
  readonly #stepMs: number;

  constructor(count: number) {
    this.count = count;
    this.owners = Math.ceil(count / recordsOfOwner);
    this.#stepMs = keptMs / count;
  }

  at(number: number): number {
    return this.firstAt + Math.floor(number * this.#stepMs);
  }

  ownerOf(number: number): string {
    return `usr_${hash('sha256', String(number % this.owners), 'base64url')}`;
  }

  idOf(number: number): string {
    const [time, rest] = [this.at(number).toString(16).padStart(12, '0'), hash('md5', String(number))];
    return `${time.slice(0, 8)}-${time.slice(8)}-7${rest.slice(0, 3)}-8${rest.slice(3, 6)}-${rest.slice(6, 18)}`;
  }

  record(number: number): StoredRecord {
    const at = this.at(number);
    const note = hash('sha512', String(number)).padEnd(170, ' ');
    return {
      collection,
      id: this.idOf(number),
      owner: this.ownerOf(number),
      parentId: null,
      state: null,
      revision: hash('md5', String(number)).slice(0, 16),
      createdAt: at,
      updatedAt: at,
      body: `{"starts_at":"2027-03-04T05:06:00.000Z","seats":12,"place":"market hall, room 7","note":"${note}","tags":["river","signal"]}`,
    };
  }

  event(number: number): NewEvent {
    const { id, revision, owner, createdAt } = this.record(number);
    const data = JSON.stringify({ id, collection, revision, state: null });
    return { at: createdAt, type: `${collection}.created`, collection, recordId: id, owner, data };
  }

  /** The same in SQL, which is quicker by the million. */
  async fill(postgres: MeasuredPostgres): Promise<void> {
    const { count, owners, firstAt } = this;
    const at = `(${firstAt} + floor(n * ${this.#stepMs}::float8)::bigint)`;
    const pseudonym = (number: string) =>
      `'usr_' || translate(rtrim(encode(sha256((${number})::text::bytea), 'base64'), '='), '+/', '-_')`;
    // With an offset each is computed once, however often it is named.
    const made = `(select n, ${at} as at, md5(n::text) as rest, ${pseudonym(`n % ${owners}`)} as owner,
      lpad(to_hex(${at}), 12, '0') as time from generate_series(1, ${count}::bigint) as n offset 0)`;
    const id = `substr(time, 1, 8) || '-' || substr(time, 9) || '-7' || substr(rest, 1, 3) || '-8' || substr(rest, 4, 3)
      || '-' || substr(rest, 7, 12)`;
    const body = `'{"starts_at":"' || to_char(timestamp '2027-01-01' + (n * 7919 % 525600) * interval '1 minute', 'YYYY-MM-DD"T"HH24:MI":00.000Z"')
      || '","seats":' || 1 + n % 200 || ',"place":"market hall, room ' || n % 900 || '","note":"' || left(repeat(rest || ' ', 6), 170)
      || '","tags":["river","signal"]}'`;
    const filled = `(select *, ${id} as id, ${body} as body from ${made} as made)`;
    await postgres.atOnce([
      `insert into consumers select ${pseudonym('n')}, 'user', 'active', ${at} from generate_series(0, ${count - 1}) as n`,
      `insert into records select '${collection}', id, owner, null, null, substr(rest, 1, 16), at, at, default, body
         from ${filled} as filled`,
      `insert into events select n, at, '${collection}.created', '${collection}', id, owner,
         '{"id":"' || id || '","collection":"${collection}","revision":"' || substr(rest, 1, 16) || '","state":null}'
         from ${filled} as filled`,
      // One by one into an index in no order, as callers come.
      `insert into usage select ${pseudonym('n')}, '${collection}', ${recordsOfOwner}, 0, 0, 0, 0
         from generate_series(0, ${owners - 1}) as n`,
    ]);
  }
}

interface Index {
  readonly name: string;
  readonly definition: string;
}

/** Indexes are made once all rows are there: row after row, in no order, they would take most of the time. */
export async function withoutIndexes(postgres: MeasuredPostgres, work: () => Promise<void>): Promise<void> {
  const indexes = await postgres.rows<Index>(`select indexname as name, indexdef as definition from pg_indexes
    where tablename in ('records', 'events') and indexname not in ('records_key', 'events_pkey')`);
  for (const { name } of indexes) await postgres.rows(`drop index ${name}`);
  await postgres.rows('alter table consumers drop constraint consumers_pkey');
  await work();
  await postgres.atOnce([
    'alter table consumers add primary key (id)',
    ...indexes.map(({ definition }) => definition),
  ]);
}
