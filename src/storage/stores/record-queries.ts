import { type RawBuilder, type Selectable, type SelectQueryBuilder, sql } from 'kysely';
import type { Engine } from '../engine.ts';
import type { FieldValue, MemberOf, Operator, Place, RecordQuery, VisibleUnder } from '../port.ts';
import type { Database, Tables } from '../schema.ts';
import { fieldExpression, type QueryShape, recordColumns } from './record-fields.ts';
import { inStates, ofEverybody } from './record-indexes.ts';

type RecordRow = Omit<Selectable<Tables['records']>, 'bytes'>;
type Selected<Row> = SelectQueryBuilder<Tables, 'records', Row>;
type Query = Selected<RecordRow>;
type Matching = Selected<unknown>;

export function recordsOf(database: Database): Query {
  return database.selectFrom('records').select(recordColumns);
}

const comparisons = { eq: '=', gt: '>', gte: '>=', lt: '<', lte: '<=' } as const satisfies Record<
  Operator,
  string
>;

/** One page. An index has the records in the order of the page, so earlier pages are not read again. */
export function pageOf(engine: Engine, query: QueryShape) {
  if (query.memberOf !== undefined && holdsOneRole(query)) return pageWithRoles(engine, query);
  const ranges = rangesOf(engine, query).map((range) => range.select(recordColumns));
  const [first] = ranges as [Query];
  if (isOneRange(engine, query)) return withMembers(first, query.collection, query.members);
  const value = sortedBy(engine, query);
  const rows = ranges.map((range) => range.select(value));
  const page = engine.reader.selectFrom(inOrder(engine, query, rows).as('records')) as unknown as Matching;
  return withMembers(ordered(query, page).select(recordColumns), query.collection, query.members);
}

/** A caller is no member of its own records, and has one role in others: that of the row by which a record was found. */
function pageWithRoles(engine: Engine, query: QueryShape): Query {
  const [shared, ...own] = rangesOf(engine, query) as [Matching, ...Matching[]];
  const withValue = (range: Matching) => range.select(recordColumns).select(sortedBy(engine, query));
  const members = sql<string | null>`members`.as('members');
  const none = sql<string | null>`null`.as('members');
  const ranges = [withValue(shared).select(members), ...own.map((range) => withValue(range).select(none))];
  return inOrder(engine, query, ranges);
}

/** True unless actions grant roles: by invitation a caller gets one role, and owners of a record get none. */
function holdsOneRole({ members }: QueryShape): boolean {
  return members?.rolesOfAll.length === 0;
}

/** Adds a column with the members that are wanted, "role member" on a line each. */
export function withMembers(records: Query, collection: string, wanted: RecordQuery['members']): Query {
  if (wanted === undefined) return records;
  const { member, roles, rolesOfAll } = wanted;
  const others = roles.filter((role) => !rolesOfAll.includes(role));
  const ofRecord = sql`select role || ' ' || member as one from members
    where collection = ${sql.lit(collection)} and record_id = records.id and role in`;
  const ranges = [
    ...(rolesOfAll.length === 0 ? [] : [sql`${ofRecord} (${literals(rolesOfAll)})`]),
    ...(others.length === 0 ? [] : [sql`${ofRecord} (${literals(others)}) and member = ${member}`]),
  ];
  const lines = sql<string>`(select string_agg(one, ${sql.lit('\n')})
    from (${sql.join(ranges, sql` union all `)}) as ones)`;
  return records.select(lines.as('members')) as unknown as Query;
}

function literals(texts: readonly string[]) {
  return sql.join(texts.map((text) => sql.lit(text)));
}

/** How many bytes the bodies of a page have. Neither database has to read a body for it, unless a field is compared. */
export function sizesOf(engine: Engine, query: QueryShape) {
  const size = sql<number>`octet_length(body)`.as('size');
  const [first] = rangesOf(engine, query) as [Matching];
  if (isOneRange(engine, query)) return first.select(size);
  return placesOf(engine, query, (range) => range.select(size));
}

/** Places and bodies of the records of a page. */
export function bodiesOf(engine: Engine, query: QueryShape) {
  return placesOf(engine, query, (range) => range.select('body'));
}

export function countOf(engine: Engine, query: QueryShape) {
  const places = placesOf(engine, query, (range) => range);
  return engine.reader
    .selectFrom(places.as('places'))
    .select((select) => select.fn.countAll<number>().as('count'));
}

/** The place `count` records further on. Reads only the index of the order. */
export function placeAfter(engine: Engine, query: QueryShape, count: number) {
  const { field } = query.sort;
  const conditions = query.conditions.filter((condition) => isSame(condition.field, field));
  const isEverybodys = query.owner === null && query.memberOf === undefined && query.under === undefined;
  const wanted = {
    ...query,
    ...(isEverybodys ? {} : withoutStates(query)),
    expiredAt: null,
    conditions,
    limit: count,
    atMost: count,
  };
  return placesOf(engine, wanted, (range) => range)
    .limit(sql.lit(1))
    .offset(sql.lit(count - 1));
}

function withoutStates({ memberOf, under }: QueryShape) {
  const roles = memberOf?.roles.map(({ role }) => ({ role, states: null })) ?? [];
  return {
    state: null,
    states: undefined,
    memberOf: memberOf && { ...memberOf, roles },
    under: under && { ...under, visible: null },
  };
}

/** The places of the records of a page, with other columns but without the bodies. */
function placesOf<More>(
  engine: Engine,
  query: QueryShape,
  withMore: (range: Selected<Place>) => Selected<Place & More>,
): Selected<Place & More> {
  const value = sortedBy(engine, query);
  const ranges = rangesOf(engine, query).map((range) => withMore(range.select([value, 'id'])));
  const [first] = ranges as [Selected<Place & More>];
  if (isOneRange(engine, query)) return first;
  return inOrder(engine, query, ranges);
}

/** PostgreSQL plans a statement anew each time unless the limit is a constant, so each range there has a constant limit. */
function isOneRange({ name }: Engine, { after, memberOf, sort }: QueryShape): boolean {
  const isSplit = after !== null && sort.field !== 'created_at';
  return name === 'sqlite' && !isSplit && memberOf === undefined;
}

function inOrder<Row>(
  { reader, name }: Engine,
  query: QueryShape,
  ranges: readonly Selected<Row>[],
): Selected<Row> {
  // A range with a limit has to be in brackets. SQLite merges ranges without: it stops at the end of the page.
  const isLimited = query.memberOf === undefined || name === 'postgres';
  const inBrackets = (range: Selected<Row>) =>
    reader.selectFrom(range.as('range')).selectAll() as unknown as Selected<Row>;
  const all = (isLimited ? ranges.map(inBrackets) : ranges).reduce((one, other) => one.unionAll(other));
  return ordered(query, all).limit(query.limit);
}

function ordered<Row>({ sort }: QueryShape, records: Selected<Row>): Selected<Row> {
  const direction = sort.descending ? 'desc' : 'asc';
  return records.orderBy(sql.ref('value'), direction).orderBy(sql.ref('id'), direction);
}

/** The records of the owner or of everybody; or those in which a caller is a member, and then its own. */
function rangesOf(engine: Engine, query: QueryShape): readonly Matching[] {
  const { memberOf, owner } = query;
  if (memberOf === undefined) return plainRanges(engine, query);
  const shared = sharedRange(engine, query, memberOf);
  return owner === null ? [shared] : [shared, ownRange(engine, query)];
}

function ownRange(engine: Engine, query: QueryShape): Matching {
  const { sort, after, atMost } = query;
  const direction = sort.descending ? 'desc' : 'asc';
  const beyond = sql.raw(sort.descending ? '<' : '>');
  let own = matchingOf(engine, query);
  if (after !== null) own = own.where(sql<boolean>`(created_at, id) ${beyond} (${after.value}, ${after.id})`);
  if (engine.name === 'sqlite') return own;
  return own.orderBy('created_at', direction).orderBy('id', direction).limit(sql.lit(atMost));
}

/**
 * The records in which a caller is a member, by the time of their creation. The index of members has that order, so only
 * as many records are read as the page has. A caller with two roles in a record gets it once.
 */
function sharedRange(engine: Engine, query: QueryShape, memberOf: MemberOf): Matching {
  const direction = sql.raw(query.sort.descending ? 'desc' : 'asc');
  const others = recordColumns.filter((column) => column !== 'id' && column !== 'created_at');
  const columns = sql.join([
    ...others.map((column) => sql.ref(`records.${column}`)),
    // By these names SQLite finds the order of the index.
    sql`members.record_id as id, members.record_created_at as created_at`,
    sql`members.role || ' ' || members.member as members`,
  ]);
  const inPlaces = sql`order by members.record_created_at ${direction}, members.record_id ${direction}`;
  const first = engine.name === 'sqlite' ? sql`` : sql`${inPlaces} limit ${sql.lit(query.atMost)}`;
  const range = sql<RecordRow>`(select ${columns} from ${membershipsIn(engine, query, memberOf)} ${first})`;
  return engine.reader.selectFrom(range.as('records')) as unknown as Matching;
}

/** What follows `from`: the memberships that count, with their records. */
function membershipsIn(engine: Engine, query: QueryShape, memberOf: MemberOf): RawBuilder<unknown> {
  const { member, roles } = memberOf;
  const { sort, after, until, state, expiredAt } = query;
  const collection = sql.lit(query.collection);
  const place = sql`(members.record_created_at, members.record_id)`;
  const conditions = [
    sql`members.member = ${member} and members.collection = ${collection} and ${counts('members', roles)}`,
    ...(holdsOneRole(query) ? [] : once(query, memberOf)),
    ...(after === null
      ? []
      : [sql`${place} ${sql.raw(sort.descending ? '<' : '>')} (${after.value}, ${after.id})`]),
    ...(until ? [sql`${place} ${sql.raw(sort.descending ? '>=' : '<=')} (${until.value}, ${until.id})`] : []),
    ...(state === null ? [] : [sql`records.state = ${state}`]),
    ...(expiredAt === null ? [] : [sql`records.updated_at > ${expiredAt}`]),
    ...query.conditions.map(({ field, operator, value }) =>
      field === 'created_at'
        ? sql`members.record_created_at ${sql.raw(comparisons[operator])} ${value}`
        : sql`${fieldExpression(engine.name, field)} ${sql.raw(comparisons[operator])} ${value}`,
    ),
  ];
  // SQLite keeps the order of a cross join: members first, by their index.
  const joined = sql.raw(engine.name === 'sqlite' ? 'cross join' : 'join');
  const records = sql`${joined} records on records.collection = ${collection} and records.id = members.record_id`;
  return sql`members ${records} where ${sql.join(conditions, sql` and `)}`;
}

/** A caller can have several roles in a record, and be its owner as well. */
function once({ collection, owner, states }: QueryShape, { member, roles }: MemberOf): RawBuilder<unknown>[] {
  const isOwn = states === undefined ? sql`` : sql`and ${inStates(states)}`;
  return [
    ...(owner === null ? [] : [sql`not (records.owner = ${owner} ${isOwn})`]),
    ...(roles.length === 1
      ? []
      : [
          sql`not exists (select 1 from members as other where other.member = ${member}
            and other.collection = ${sql.lit(collection)} and other.record_created_at = members.record_created_at
            and other.record_id = members.record_id and ${counts('other', roles)} and other.role < members.role)`,
        ]),
  ];
}

/** Whether a role counts in the state of its record. */
function counts(table: string, roles: MemberOf['roles']): RawBuilder<unknown> {
  const role = sql.ref(`${table}.role`);
  const always = roles.flatMap(({ role: name, states }) => (states === null ? [name] : []));
  const conditions = roles.flatMap(({ role: name, states }) =>
    states === null || states.length === 0
      ? []
      : [sql`(${role} = ${sql.lit(name)} and records.state in (${literals(states)}))`],
  );
  const all = [...(always.length === 0 ? [] : [sql`${role} in (${literals(always)})`]), ...conditions];
  return all.length === 0 ? sql`false` : sql`(${sql.join(all, sql` or `)})`;
}

/**
 * After a place in the order of a field, two ranges instead of a comparison of pairs, for which SQLite would not use an index on an
 * expression.
 */
function plainRanges(engine: Engine, query: QueryShape): readonly Matching[] {
  const { sort, after } = query;
  const limit = engine.name === 'postgres' ? sql.lit(query.atMost) : query.limit;
  const direction = sort.descending ? 'desc' : 'asc';
  const value = expressionOf(engine, sort.field);
  const byId = (records: Matching) => records.orderBy('id', direction).limit(limit);
  const byValue = (records: Matching) => byId(records.orderBy(value, direction));
  const matching = matchingOf(engine, query);
  if (after === null) return [byValue(matching)];
  const beyond = sort.descending ? '<' : '>';
  if (sort.field === 'created_at')
    return [byValue(matching.where(place, beyond, sql`(${after.value}, ${after.id})`))];
  const last = after.value;
  return [
    byId(matching.where(value, '=', last).where('id', beyond, after.id)),
    byValue(matching.where(value, beyond, last)),
  ];
}

function matchingOf(engine: Engine, query: RecordQuery): Matching {
  const { owner, state, sort, until, expiredAt } = query;
  // Written out, so that the indexes of this collection are used.
  let records: Matching = engine.reader
    .selectFrom('records')
    .where('collection', '=', sql.lit(query.collection));
  const { under } = query;
  if (under !== undefined) records = records.where('parent_id', '=', under.id);
  if (under && under.visible !== null) records = records.where(visibleTo(under.visible, query.collection));
  if (owner !== null) records = records.where('owner', '=', owner);
  else if (under === undefined && engine.name === 'sqlite') records = records.where(ofEverybody);
  if (state !== null) records = records.where(filterOn(engine, query, sql.ref('state')), '=', state);
  if (query.states !== undefined) records = records.where(inStates(query.states));
  for (const { field, operator, value } of query.conditions) {
    const expression = expressionOf(engine, field);
    const filtered = isSame(field, sort.field) ? expression : filterOn(engine, query, expression);
    records = records.where(filtered, comparisons[operator], value);
  }
  if (until && sort.field === 'created_at') {
    const end = sql`(${until.value}, ${until.id})`;
    records = records.where(place, sort.descending ? '>=' : '<=', end);
  } else if (until) {
    const value = expressionOf(engine, sort.field);
    const end = until.value;
    records = records
      .where(value, sort.descending ? '>=' : '<=', end)
      .where(({ or, eb }) =>
        or([eb(value, sort.descending ? '>' : '<', end), eb('id', sort.descending ? '>=' : '<=', until.id)]),
      );
  }
  // The sign keeps both databases from going by the time of change, which is in no order that helps.
  if (expiredAt !== null) records = records.where(sql<number>`+updated_at`, '>', expiredAt);
  return records;
}

/** The place of a record in the order of creation. */
const place: RawBuilder<unknown> = sql`(created_at, id)`;

/** The records under a parent that a caller can read, if it cannot read all. */
function visibleTo(visible: VisibleUnder, collection: string): RawBuilder<boolean> {
  const { states, ownStates, member, roles } = visible;
  const own = ownStates === null ? sql`true` : inStates(ownStates);
  const ways = [
    ...(states.length === 0 ? [] : [inStates(states)]),
    sql`(owner = ${member} and ${own})`,
    ...(roles.length === 0
      ? []
      : [
          sql`exists (select 1 from members where members.collection = ${sql.lit(collection)}
            and members.record_id = records.id and members.member = ${member} and ${counts('members', roles)})`,
        ]),
  ];
  return sql<boolean>`(${sql.join(ways, sql` or `)})`;
}

/** The sign keeps SQLite from using another index than that of the sort order in a list of one owner. */
function filterOn(
  engine: Engine,
  { owner, under }: RecordQuery,
  expression: RawBuilder<FieldValue>,
): RawBuilder<FieldValue> {
  const isNarrow = owner !== null || under !== undefined;
  return engine.name === 'sqlite' && isNarrow ? sql<FieldValue>`+${expression}` : expression;
}

function isSame(one: RecordQuery['sort']['field'], other: RecordQuery['sort']['field']): boolean {
  return one === other || (one !== 'created_at' && other !== 'created_at' && one.name === other.name);
}

function sortedBy(engine: Engine, { sort }: QueryShape) {
  return expressionOf(engine, sort.field).as('value');
}

function expressionOf(engine: Engine, field: RecordQuery['sort']['field']): RawBuilder<FieldValue> {
  return field === 'created_at' ? sql.ref<FieldValue>('created_at') : fieldExpression(engine.name, field);
}
