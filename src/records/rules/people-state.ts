import { Buffer } from 'node:buffer';
import type {
  BatchChanges,
  EndedInvitations,
  Loaded,
  RecordName,
  StoredInvitation,
  StoredMember,
} from '../../storage/port.ts';

export interface PeopleEffects {
  readonly joined?: StoredMember;
  readonly left?: StoredMember;
  readonly invitation?: StoredInvitation;
  /** Ends the invitations of the record. */
  readonly closed?: EndedInvitations;
  readonly removed?: RecordName;
}

/** The members and invitations of a batch, as changed by the operations decided so far. */
export class PeopleState {
  readonly #members: Map<string, StoredMember>;
  readonly #invitations: Map<string, StoredInvitation>;
  readonly #counts = new Map<string, number>();
  readonly #joined = new Map<string, StoredMember>();
  readonly #left = new Map<string, StoredMember>();
  readonly #changed = new Map<string, StoredInvitation>();
  readonly #closed = new Map<string, EndedInvitations>();

  constructor({ members, invitations, memberCounts, memberships }: Loaded) {
    this.#members = new Map(members.map((one) => [keyOf(one), one]));
    this.#invitations = new Map(invitations.map((one) => [textOf(one.digest), one]));
    for (const { collection, id, role, count } of memberCounts)
      this.#counts.set(inRecord(collection, id, role), count);
    for (const { owner, collection, role, count } of memberships)
      this.#counts.set(ofPerson(owner, collection, role), count);
  }

  /** The loaded members of a record. */
  of(collection: string, id: string): readonly StoredMember[] {
    if (this.#members.size === 0) return [];
    return [...this.#members.values()].filter((one) => one.collection === collection && one.recordId === id);
  }

  /** The number of members with the role in the record. */
  countIn(collection: string, id: string, role: string): number {
    return this.#counts.get(inRecord(collection, id, role)) ?? 0;
  }

  /** The number of records of the collection in which a person has the role. */
  countOf(member: string, collection: string, role: string): number {
    return this.#counts.get(ofPerson(member, collection, role)) ?? 0;
  }

  invitation(digest: Uint8Array): StoredInvitation | null {
    return this.#invitations.get(textOf(digest)) ?? null;
  }

  apply({ joined, left, invitation, closed, removed }: PeopleEffects): void {
    if (left !== undefined) {
      const key = keyOf(left);
      this.#members.delete(key);
      if (!this.#joined.delete(key)) this.#left.set(key, left);
      this.#count(left, -1);
    }
    if (joined !== undefined) {
      this.#members.set(keyOf(joined), joined);
      this.#joined.set(keyOf(joined), joined);
      this.#count(joined, 1);
    }
    if (invitation !== undefined) {
      const key = textOf(invitation.digest);
      this.#changed.set(key, invitation);
      if (invitation.usesLeft === 0) this.#invitations.delete(key);
      else this.#invitations.set(key, invitation);
    }
    if (closed !== undefined) {
      const { collection, id, madeBy } = closed;
      this.#closed.set(`${collection} ${id} ${madeBy}`, closed);
      for (const map of [this.#changed, this.#invitations])
        for (const [key, one] of map)
          if (isOf(one, closed) && (madeBy === null || one.madeBy === madeBy)) map.delete(key);
    }
    // The database deletes the members and invitations of a deleted record.
    if (removed !== undefined)
      this.#drop(removed, [this.#changed, this.#invitations, this.#joined, this.#members]);
  }

  changes(): Pick<BatchChanges, 'newMembers' | 'removedMembers' | 'invitations' | 'endedInvitations'> {
    return {
      newMembers: [...this.#joined.values()],
      removedMembers: [...this.#left.values()],
      invitations: [...this.#changed.values()],
      endedInvitations: [...this.#closed.values()],
    };
  }

  #drop(
    record: RecordName,
    maps: readonly Pick<Map<string, RecordPart>, 'delete' | typeof Symbol.iterator>[],
  ): void {
    for (const map of maps) for (const [key, one] of map) if (isOf(one, record)) map.delete(key);
  }

  #count({ collection, recordId, role, member }: StoredMember, difference: number): void {
    for (const key of [inRecord(collection, recordId, role), ofPerson(member, collection, role)])
      this.#counts.set(key, (this.#counts.get(key) ?? 0) + difference);
  }
}

interface RecordPart {
  readonly collection: string;
  readonly recordId: string;
}

function isOf(one: RecordPart, { collection, id }: RecordName): boolean {
  return one.collection === collection && one.recordId === id;
}

function keyOf({ collection, recordId, role, member }: StoredMember): string {
  return [collection, recordId, role, member].join('\0');
}

function inRecord(collection: string, id: string, role: string): string {
  return `record ${collection} ${id} ${role}`;
}

function ofPerson(member: string, collection: string, role: string): string {
  return `person ${member} ${collection} ${role}`;
}

function textOf(digest: Uint8Array): string {
  return Buffer.from(digest).toString('latin1');
}
