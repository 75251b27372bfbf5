import { Buffer } from 'node:buffer';
import type { KeyedDigest } from '../base/keyed-digest.ts';
import type { Collection } from '../collections/collection.ts';
import { may } from '../collections/roles.ts';
import type { EventTopic, StoredRecord } from '../storage/port.ts';

/** Names of people and of audiences that say nothing about who they are: keyed digests, 16 bytes each. */
export class PeopleNames {
  readonly #digest: Pick<KeyedDigest, 'of'>;

  constructor(digest: Pick<KeyedDigest, 'of'>) {
    this.#digest = digest;
  }

  /** How people see each other in a record: another name in every record. */
  alias(collection: string, id: string, person: string): Uint8Array {
    return this.#short('alias', collection, id, person);
  }

  /** A caller who learns by it that it has joined or left. */
  person(person: string): string {
    return this.#topic('person', person);
  }

  owner(collection: string, person: string): string {
    return this.#topic('owner', collection, person);
  }

  everyone(collection: string): string {
    return this.#topic('everyone', collection);
  }

  scope(collection: string, role: string): string {
    return this.#topic('scope', collection, role);
  }

  member(collection: string, id: string, role: string): string {
    return this.#topic('member', collection, id, role);
  }

  /** Who could read the record before or after an event; undefined where only its owner could. */
  audience(
    collection: Collection,
    record: StoredRecord,
    states: { readonly before?: string | null; readonly after?: string | null },
  ): readonly EventTopic[] | undefined {
    if (!collection.isShared) return undefined;
    const reads = (role: string, state: string | null | undefined) =>
      state !== undefined && may(collection, 'read', [role, 'everyone'], state);
    return ['owner', ...Object.keys(collection.roles), 'everyone'].flatMap((role) => {
      const hasFields = reads(role, states.after);
      if (!(hasFields || reads(role, states.before))) return [];
      return [{ topic: this.#ofRole(collection, record, role), hasFields }];
    });
  }

  #ofRole({ name, roles }: Collection, { id, owner }: StoredRecord, role: string): string {
    if (role === 'owner') return this.owner(name, owner);
    if (role === 'everyone') return this.everyone(name);
    return roles[role]?.kind === 'scope' ? this.scope(name, role) : this.member(name, id, role);
  }

  #topic(...parts: readonly string[]): string {
    return Buffer.from(this.#short('topic', ...parts)).toString('hex');
  }

  #short(...parts: readonly string[]): Uint8Array {
    return this.#digest.of(...parts).subarray(0, 16);
  }
}

export function aliasText(alias: Uint8Array): string {
  return `per_${Buffer.from(alias).toString('base64url')}`;
}

const aliasForm = /^per_([A-Za-z0-9_-]{22})$/;

/** Null for a text that is no alias. */
export function readAlias(text: string): Uint8Array | null {
  const [, encoded = ''] = aliasForm.exec(text) ?? [];
  const bytes = Buffer.from(encoded, 'base64url');
  return bytes.length === 16 && aliasText(bytes) === text ? new Uint8Array(bytes) : null;
}
