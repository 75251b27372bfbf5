import type { Collection } from '../../collections/collection.ts';
import { type Lineage, lineageAbove, parentOf } from '../../collections/lineage.ts';
import type { RecordContext, RecordMember, RecordName, StoredRecord } from '../../storage/port.ts';
import { storedRoles } from '../caller-access.ts';
import type { PeopleNames } from '../people-names.ts';
import { isExpired } from '../present.ts';
import type { BatchState } from './batch-state.ts';

/** A collection among the rows of a batch, and the time. */
export interface Place {
  readonly collection: Collection;
  /** The collection and its ancestors. */
  readonly lineage: Lineage;
  readonly state: BatchState;
  readonly now: number;
  /** Keyed digests: aliases, and the topics of events. */
  readonly names: PeopleNames;
}

type Named = Pick<StoredRecord, 'collection' | 'id' | 'parentId'>;

/** The roles of a person in a record and in its ancestors, and who else has a role in the record by an action. */
export function contextOf(record: Named, person: string, place: Place): RecordContext {
  const members = membersOf(place.collection, record, [person], true, place.state);
  return placed(members, parentFor(place.lineage, record, [person], false, place));
}

/** The context of a record that is not there yet. */
export function contextOfNew(record: Named, person: string, place: Place): RecordContext {
  return placed([], parentFor(place.lineage, record, [person], false, place));
}

/** Who has a role by an action in a record or its ancestors, with the roles of all these people further up. */
export function readersOf(
  record: Named,
  joining: readonly RecordMember[],
  place: Place,
  isNew = false,
): RecordContext {
  const stored = isNew ? [] : membersOf(place.collection, record, [], true, place.state);
  const members = [...stored, ...joining];
  return placed(members, parentFor(place.lineage, record, peopleIn(members), true, place));
}

/** The audience of an event; undefined if there is no event, or it is for the owner only. */
export function audienceOf(
  record: StoredRecord,
  states: Parameters<PeopleNames['audience']>[2],
  place: Place,
  joining: readonly RecordMember[] = [],
  isNew = false,
): ReturnType<PeopleNames['audience']> {
  const { collection, lineage, names } = place;
  if (!hasAudience(collection)) return undefined;
  return names.audience(lineage, { ...readersOf(record, joining, place, isNew), record }, states);
}

/** What `audienceOf` reads. */
export function askAudience(record: Named, place: Place, isNew = false): void {
  if (hasAudience(place.collection)) readersOf(record, [], place, isNew);
}

function hasAudience({ isShared, events }: Collection): boolean {
  return isShared && events !== null;
}

function placed(members: readonly RecordMember[], parent: RecordContext['parent']): RecordContext {
  return parent === undefined ? { members } : { members, parent };
}

/** The parent with its context. `withHolders`: also who has a role there by an action, and their roles further up. */
function parentFor(
  lineage: Lineage,
  record: Named,
  people: readonly string[],
  withHolders: boolean,
  reading: Pick<Place, 'state' | 'now'>,
): RecordContext['parent'] {
  const upper = lineageAbove(lineage);
  if (upper === null) return undefined;
  const [collection] = upper;
  const name = parentOf(lineage[0], record);
  if (name === null) return null;
  const { state, now } = reading;
  const members = membersOf(collection, name, people, withHolders, state);
  const above = state.records.above(record, name);
  if (above === null || isExpired(collection, above, now)) return null;
  const further = withHolders ? [...new Set([...people, ...peopleIn(members)])] : people;
  return { ...placed(members, parentFor(upper, above, further, withHolders, reading)), record: above };
}

/** Roles by invitation of some people, and roles by an action of the same people or of all. */
function membersOf(
  collection: Collection,
  name: RecordName,
  people: readonly string[],
  withHolders: boolean,
  { people: stored }: BatchState,
): readonly RecordMember[] {
  const { roles, rolesOfAll } = storedRoles(collection);
  if (roles.length === 0) return [];
  return roles.flatMap((role) => {
    if (withHolders && rolesOfAll.includes(role)) return stored.holders(name, role);
    return people.flatMap((person) => stored.rolesOf(person, name, [role]));
  });
}

function peopleIn(members: readonly RecordMember[]): readonly string[] {
  return members.map(({ member }) => member);
}
