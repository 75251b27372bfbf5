import type { BatchChanges, RecordName, StoredInvitation, StoredMember } from '../../storage/port.ts';
import { digestText, type LoadedRows, nameOf } from './loaded-rows.ts';
import type { RecordsState } from './records-state.ts';

/** Ends the invitations of a record, or those of one person. */
export interface ClosedInvitations extends RecordPart {
  readonly madeBy: string | null;
}

export interface PeopleEffects {
  readonly joined?: StoredMember;
  readonly left?: StoredMember;
  readonly invitation?: StoredInvitation;
  readonly closed?: ClosedInvitations;
  readonly removed?: RecordName;
}

type RecordPart = Pick<StoredMember, 'collection' | 'recordId'>;

/** The members and invitations of a batch, as changed by the operations decided so far. */
export class PeopleState {
  readonly #rows: LoadedRows;
  readonly #records: RecordsState;
  readonly #joined = new Map<string, StoredMember>();
  readonly #left = new Map<string, StoredMember>();
  /** Those without uses left are deleted. */
  readonly #changed = new Map<string, StoredInvitation>();
  readonly #closed = new Map<string, ClosedInvitations>();

  constructor(rows: LoadedRows, records: RecordsState) {
    this.#rows = rows;
    this.#records = records;
  }

  /** The roles of a person in a record, among some. */
  rolesOf(member: string, { collection, id }: RecordName, roles: readonly string[]): readonly StoredMember[] {
    return roles.flatMap((role) => {
      const key = { collection, recordId: id, role, member };
      const name = nameOf('members', key);
      const joined = this.#joined.size === 0 ? undefined : this.#joined.get(name);
      if (joined !== undefined) return [joined];
      if (this.#left.has(name) || this.#records.isOwn(collection, id)) return [];
      return this.#rows.find('members', key);
    });
  }

  /** All people with a role in a record. */
  holders({ collection, id }: RecordName, role: string): readonly StoredMember[] {
    const key = { collection, recordId: id, role };
    const stored = this.#records.isOwn(collection, id) ? [] : this.#rows.find('holders', key);
    if (this.#joined.size + this.#left.size === 0) return stored;
    const joined = [...this.#joined.values()].filter(
      (one) => isOf(one, { collection, id }) && one.role === role,
    );
    const has = (one: StoredMember) =>
      !this.#left.has(nameOf('members', one)) && !this.#joined.has(nameOf('members', one));
    return [...stored.filter(has), ...joined];
  }

  /** The people who have this alias in a record, and had some role when it was first looked at. */
  named({ collection, id }: RecordName, alias: Uint8Array): readonly string[] {
    const isNamed = (one: StoredMember) =>
      isOf(one, { collection, id }) && digestText(one.alias) === digestText(alias);
    const stored = this.#records.isOwn(collection, id)
      ? []
      : this.#rows.find('membersByAlias', { collection, recordId: id, alias });
    const joined = [...this.#joined.values()].filter(isNamed);
    return [...new Set([...stored, ...joined].map(({ member }) => member))];
  }

  /** The number of members with the role in the record. */
  countIn({ collection, id }: RecordName, role: string): number {
    const key = { collection, recordId: id };
    const counted = this.#records.isOwn(collection, id) ? [] : this.#rows.find('memberCounts', key);
    const isCounted = (one: StoredMember) => isOf(one, { collection, id }) && one.role === role;
    return countOf(counted, role) + this.#added(isCounted);
  }

  /** The number of records of the collection in which a person has the role. */
  countOf(member: string, collection: string, role: string): number {
    const counted = this.#rows.find('memberships', { member, collection });
    const isCounted = (one: StoredMember) =>
      one.member === member && one.collection === collection && one.role === role;
    return countOf(counted, role) + this.#added(isCounted);
  }

  /** What a code leads to, as first looked at without a lock. */
  code(digest: Uint8Array): StoredInvitation | null {
    return this.#rows.first('codes', { digest });
  }

  invitation(digest: Uint8Array): StoredInvitation | null {
    const changed = this.#changed.get(digestText(digest));
    if (changed !== undefined) return changed.usesLeft === 0 ? null : changed;
    const stored = this.#rows.first('invitations', { digest });
    if (stored === null || this.#records.isRemoved(stored.collection, stored.recordId)) return null;
    return this.#closed.values().some((closed) => isClosed(stored, closed)) ? null : stored;
  }

  apply({ joined, left, invitation, closed, removed }: PeopleEffects): void {
    if (left !== undefined) {
      const key = nameOf('members', left);
      if (!this.#joined.delete(key)) this.#left.set(key, left);
    }
    if (joined !== undefined) this.#joined.set(nameOf('members', joined), joined);
    if (invitation !== undefined) this.#changed.set(digestText(invitation.digest), invitation);
    if (closed !== undefined) {
      const { collection, recordId, madeBy } = closed;
      this.#closed.set(`${collection}\0${recordId}\0${madeBy}`, closed);
      for (const [key, one] of this.#changed) if (isClosed(one, closed)) this.#changed.delete(key);
    }
    // The database deletes the members and invitations of a deleted record.
    if (removed !== undefined)
      for (const map of [this.#changed, this.#joined] as readonly Map<string, RecordPart>[])
        for (const [key, one] of map) if (isOf(one, removed)) map.delete(key);
  }

  changes() {
    const closed = [...this.#closed.values()];
    const changed = [...this.#changed.values()];
    return {
      newMembers: [...this.#joined.values()],
      removedMembers: [...this.#left.values()],
      closedInvitations: closed.filter(({ madeBy }) => madeBy === null),
      closedInvitationsOf: closed.flatMap(({ madeBy, ...one }) =>
        madeBy === null ? [] : [{ ...one, madeBy }],
      ),
      usedInvitations: changed.filter(({ usesLeft }) => usesLeft === 0),
      invitations: changed.filter(({ usesLeft }) => usesLeft > 0),
    } satisfies BatchChanges;
  }

  /** The difference that this batch makes. */
  #added(isCounted: (one: StoredMember) => boolean): number {
    const count = (members: ReadonlyMap<string, StoredMember>) =>
      members.values().filter(isCounted).toArray().length;
    return count(this.#joined) - count(this.#left);
  }
}

function countOf(
  counted: readonly { readonly role: string; readonly count: number }[],
  role: string,
): number {
  return counted.find((one) => one.role === role)?.count ?? 0;
}

function isOf(one: RecordPart, { collection, id }: RecordName): boolean {
  return one.collection === collection && one.recordId === id;
}

function isClosed(one: StoredInvitation, closed: ClosedInvitations): boolean {
  return (
    isOf(one, { ...closed, id: closed.recordId }) && (closed.madeBy === null || closed.madeBy === one.madeBy)
  );
}
