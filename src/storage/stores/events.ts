import { Buffer } from 'node:buffer';
import { sql } from 'kysely';
import type { Engine, Row } from '../engine.ts';
import { indexedOwner } from '../initial-schema.ts';
import type { EventStore, EventTopic, NewEvent, StoredEvent } from '../port.ts';
import { preparedReads } from '../prepared.ts';
import { columnNames, type Database, rowFor } from '../schema.ts';

/** Every transaction that appends takes this lock last, and holds it until its commit. */
export const appendLock = 'events';

/** Reads the highest position under the lock, so that a lower position never becomes visible after a higher one. */
export async function appendEvents(
  engine: Engine,
  transaction: Database,
  events: readonly NewEvent[],
): Promise<void> {
  if (events.length === 0) return;
  await engine.lock(transaction, appendLock);
  const { last } = await extentQuery(transaction).executeTakeFirstOrThrow();
  const rows = events.map((event, index) =>
    rowFor('events', { ...event, position: Number(last ?? 0) + index + 1 }),
  );
  for (const some of chunksOf(rows)) await transaction.insertInto('events').values(some).execute();
  const topics = events.flatMap(({ topics = [] }, index) =>
    topics.map(({ topic, hasFields }) => ({
      topic: Buffer.from(topic, 'hex'),
      position: Number(last ?? 0) + index + 1,
      fields: hasFields ? 1 : 0,
    })),
  );
  for (const some of chunksOf(topics)) await transaction.insertInto('event_topics').values(some).execute();
}

/** The gap in positions that a restore leaves. A reader at a position within the gap is told to start over. */
const leapBy = 1_000_000_000_000;

function leapAfter(position: number): number {
  return (Math.floor(position / leapBy) + 1) * leapBy;
}

/** Two queries: SQLite runs each on one end of its index, but both together over all of it. */
function extentQuery(database: Database) {
  const end = (which: 'min' | 'max') =>
    database.selectFrom('events').select((select) => select.fn[which]('position').as(which));
  return database.selectNoFrom([end('min').as('first'), end('max').as('last')]);
}

export function eventStore(engine: Engine): EventStore {
  const { database, reader } = engine;
  const prepared = preparedReads(engine.read);
  return {
    async extent() {
      const [row] = await prepared('extent', [], () => extentQuery(reader));
      return { first: Number(row?.[0] ?? 0), last: Number(row?.[1] ?? 0) };
    },

    async hasGivenUpTo(position, last) {
      const next = leapAfter(position);
      if (last < next) return position <= last;
      const row = await reader
        .selectFrom('events')
        .select((select) => select.fn.max('position').as('highest'))
        .where('position', '<', next)
        .executeTakeFirst();
      return position <= Number(row?.highest ?? 0);
    },

    leap: (at) =>
      database.transaction().execute(async (transaction) => {
        await engine.lock(transaction, appendLock);
        const { last } = await extentQuery(transaction).executeTakeFirstOrThrow();
        const position = leapAfter(Number(last ?? 0));
        await transaction
          .insertInto('events')
          .values({ position, at, ...nothing })
          .execute();
      }),

    async list({ after, until, owner, limit, topics }) {
      const isByTopic = topics !== undefined && topics !== 'all' && owner !== null;
      const shape = `${owner === null ? 'all' : 'own'} ${limit} ${isByTopic} ${topics === undefined}`;
      const named = isByTopic ? [JSON.stringify(topics)] : [];
      const values = owner === null ? [after, until] : [after, until, owner, inIndex(owner), ...named];
      const rows = await prepared(shape, values, (bounds) => {
        if (topics === undefined) return listOf(reader, bounds as never, limit);
        const query = isByTopic
          ? listByTopic(engine, bounds as never, limit)
          : listOf(reader, bounds as never, limit);
        return query.select(topicsOf(engine).as('topics'));
      });
      return rows.map(eventOf);
    },

    async prune({ before, ahead }, limit) {
      const oldest = await reader
        .selectFrom('events')
        .select(['position', 'at', 'owner'])
        .orderBy('position')
        .limit(limit + 1)
        .execute();
      const kept = oldest.findIndex(({ at }) => at >= before && at <= ahead);
      const isAll = kept === -1 && oldest.length <= limit;
      // Keeps the last event, without its data: the next position is one higher than the highest in the table.
      const last = isAll ? oldest.at(-1) : undefined;
      const gone = oldest.slice(0, kept === -1 ? undefined : kept).slice(0, isAll ? -1 : limit);
      const toBlank = last === undefined || last.owner === '' ? 0 : last.position;
      if (gone.length === 0 && toBlank === 0) return 0;
      const hasErased = await database.transaction().execute(async (transaction) => {
        const pruned = await transaction
          .deleteFrom('events')
          .where('position', '<=', gone.at(-1)?.position ?? 0)
          .returning('collection')
          .execute();
        if (toBlank > 0) await blank(transaction, toBlank);
        // Events of an erased caller may be among them.
        const isErasure = toBlank > 0 || pruned.some(({ collection }) => collection === null);
        if (isErasure) await engine.residue.note(transaction, 'erasures');
        return isErasure;
      });
      if (hasErased) await engine.residue.flush().catch(() => {});
      return gone.length;
    },

    watch: (onAppended) => engine.watchAppended(onAppended),
  };
}

type ListBounds = readonly [after: number, until: number, owner?: string, indexed?: string];

export function listOf(reader: Database, [after, until, owner, indexed]: ListBounds, limit: number) {
  return reader
    .selectFrom('events')
    .select(columnNames('events'))
    .where('position', '>', after)
    .where('position', '<=', until)
    .$if(owner !== undefined, (query) => query.where(isOf(owner as string, indexed as string)))
    .orderBy('position')
    .limit(sql.lit(limit));
}

/** Events of an owner, and those with one of the topics (a JSON list), each by its index. */
function listByTopic(
  engine: Engine,
  [after, until, owner, indexed, topics]: readonly [number, number, string, string, string],
  limit: number,
) {
  const maxEvents = sql.lit(limit);
  const between = sql`position > ${after} and position <= ${until}`;
  const named =
    engine.name === 'postgres'
      ? sql`select decode(value, 'hex') from json_array_elements_text(${topics}::json) as value`
      : sql`select unhex(value) from json_each(${topics})`;
  const positions = sql<number>`(
    select position from (select position from events where ${between} and ${isOf(owner, indexed)}
      order by position limit ${maxEvents}) as own
    union select position from (select position from event_topics where topic in (${named}) and ${between}
      order by position limit ${maxEvents}) as shared)`;
  return engine.reader
    .selectFrom('events')
    .select(columnNames('events'))
    .where(sql<boolean>`position in ${positions}`)
    .orderBy('position')
    .limit(maxEvents);
}

/** The topics of an event in one text: 32 hexadecimal digits and a flag for each. */
function topicsOf({ name }: Engine) {
  const digits = name === 'postgres' ? sql`encode(topic, 'hex')` : sql`lower(hex(topic))`;
  return sql<string>`(select string_agg(${digits} || fields, ' ') from event_topics
    where event_topics.position = events.position)`;
}

/** The part of the owner in the index of events. Databases count characters, not UTF-16 units. */
export function inIndex(owner: string): string {
  return [...owner].slice(4, 12).join('');
}

/** The index finds all owners with the same part. */
function isOf(owner: string, indexed: string) {
  return sql<boolean>`(${sql.raw(indexedOwner)} = ${indexed} and owner = ${owner})`;
}

const nothing = { type: '', collection: null, record_id: null, owner: '', data: '{}' };

async function blank(transaction: Database, position: number): Promise<void> {
  await transaction.deleteFrom('deliveries').where('position', '=', position).execute();
  await transaction.updateTable('events').set(nothing).where('position', '=', position).execute();
}

/**
 * Gives events about members to the present owner of a record that was handed over. They outlive the erasure of a former
 * owner: a stream that reads the log must meet every "left" of its caller.
 */
export async function keepMemberEvents(transaction: Database, owner: string): Promise<void> {
  const present = sql`from records where records.collection = events.collection and records.id = events.record_id`;
  await sql`update events set owner = (select records.owner ${present})
    where ${isOf(owner, inIndex(owner))} and (type like '%.joined' or type like '%.left')
      and exists (select 1 ${present})`.execute(transaction);
}

/** Limits each statement of an erasure. */
const maxErased = 5_000;

/** Deletes all events of a caller except the last event of the log. */
export async function eraseEvents(transaction: Database, owner: string): Promise<void> {
  for (;;) {
    const { numDeletedRows } = await transaction
      .deleteFrom('events')
      .where('position', 'in', (select) =>
        select
          .selectFrom('events')
          .select('position')
          .where(isOf(owner, inIndex(owner)))
          .where('position', '<', (events) =>
            events.selectFrom('events').select((all) => all.fn.max('position').as('last')),
          )
          .orderBy('position')
          .limit(maxErased),
      )
      .executeTakeFirst();
    if (numDeletedRows === 0n) return;
  }
}

/** Rows for several inserts: a statement has at most 32,766 values. */
export function* chunksOf<T>(rows: readonly T[], size = 1_000): Generator<readonly T[]> {
  for (let done = 0; done < rows.length; done += size) yield rows.slice(done, done + size);
}

function eventOf(row: Row): StoredEvent {
  const [position, at, type, collection, recordId, owner, data, topics] = row as EventValues;
  const event = { position, at, type, collection, recordId, owner, data };
  return typeof topics === 'string' ? { ...event, topics: topics.split(' ').map(topicOf) } : event;
}

function topicOf(text: string): EventTopic {
  return { topic: text.slice(0, -1), hasFields: text.endsWith('1') };
}

type EventValues = readonly [number, number, string, string | null, string | null, string, string, unknown];
