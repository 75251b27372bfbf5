import { dateTime } from '../base/date-time.ts';
import { type Collection, showsCounts } from '../collections/collection.ts';
import { type Lineage, ownerIn, rootOf } from '../collections/lineage.ts';
import type { RecordContext, StoredRecord } from '../storage/port.ts';
import type { CallerAccess } from './caller-access.ts';
import { aliasText, type PeopleNames } from './people-names.ts';

/** A record in the form for one caller. */
export interface SeenRecord {
  readonly collection: Collection;
  readonly lineage: Lineage;
  readonly access: CallerAccess;
  readonly names: PeopleNames;
  readonly now: number;
}

/** The JSON of a record for this caller, with its roles and possible actions. */
export function present(
  record: StoredRecord,
  context: RecordContext,
  seen: SeenRecord,
  counts: Counts = {},
): string {
  const { machine, isShared } = seen.collection;
  const own = isShared ? sharedMembers(record, context, seen) : '';
  const shared = showsCounts(seen.collection) ? `${own}${countsText(seen.collection, counts)}` : own;
  if (machine === null) return withMembers(record, shared);
  const actions = JSON.stringify(seen.access.actionsOn(record, context, seen.now));
  return withMembers(record, `"state":${JSON.stringify(record.state)},"actions":${actions},${shared}`);
}

function sharedMembers(
  record: StoredRecord,
  context: RecordContext,
  { collection, lineage, access, names }: SeenRecord,
): string {
  const roles = access.rolesOn(record, context).filter((role) => role !== 'everyone');
  const own = `"roles":${JSON.stringify(roles)},`;
  if (!collection.aliases) return own;
  const placed = { ...context, record };
  const root = rootOf(lineage, placed);
  const aliasOf = (person: string) => aliasText(names.alias(root, person));
  const people = context.members
    .filter(({ role }) => collection.roles[role]?.kind === 'granted')
    .map(({ role, member }) => [role, aliasOf(member)]);
  return `${own}"owner":${JSON.stringify(aliasOf(ownerIn(lineage, placed)))},"people":${JSON.stringify(Object.fromEntries(people))},`;
}

/** The number of records under one, by collection and state; '' without states. */
export type Counts = Readonly<Record<string, Readonly<Record<string, number>>>>;

/** `{"registrations":{"confirmed":17,"waiting":0}}`; a number where the collection below has no states. */
function countsText({ children }: Collection, counts: Counts): string {
  const shown = children.flatMap(({ name, parent }) => {
    if (parent.counts.length === 0) return [];
    const inState = (state: string | null) => counts[name]?.[state ?? ''] ?? 0;
    const byState = parent.counts.flatMap((state) => (state === null ? [] : [[state, inState(state)]]));
    return [[name, byState.length === 0 ? inState(null) : Object.fromEntries(byState)]];
  });
  return `"counts":${JSON.stringify(Object.fromEntries(shown))},`;
}

export function presentPlain(record: StoredRecord): string {
  return withMembers(record, record.state === null ? '' : `"state":${JSON.stringify(record.state)},`);
}

function withMembers({ id, body, createdAt, updatedAt }: StoredRecord, states: string): string {
  const fields = body === '{}' ? '' : `${body.slice(1, -1)},`;
  const times = `"created_at":"${dateTime(createdAt)}","updated_at":"${dateTime(updatedAt)}"`;
  return `{"id":${JSON.stringify(id)},${fields}${states}${times}}`;
}

export function fieldsOf({ body }: StoredRecord): Record<string, unknown> {
  return JSON.parse(body);
}

export function isExpired({ limits }: Collection, { updatedAt }: StoredRecord, now: number): boolean {
  return limits.expireMs !== null && updatedAt + limits.expireMs <= now;
}

export function etagOf({ revision }: StoredRecord): string {
  return `"${revision}"`;
}
