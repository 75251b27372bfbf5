import { Buffer } from 'node:buffer';
import type { KeyedDigest } from '../base/keyed-digest.ts';
import type { Collection, RoleRule } from '../collections/collection.ts';
import { type Lineage, lineageAbove, ownerIn } from '../collections/lineage.ts';
import { may, rolesOn } from '../collections/roles.ts';
import type { EventTopic, RecordInContext, RecordName } from '../storage/port.ts';
import { rolesIn } from './caller-access.ts';

/** Names of people and of audiences that do not identify them: keyed digests, 16 bytes each. */
export class PeopleNames {
  readonly #digest: Pick<KeyedDigest, 'of'>;

  constructor(digest: Pick<KeyedDigest, 'of'>) {
    this.#digest = digest;
  }

  /** The alias by which people see each other in a root record and under it: another one in every root record. */
  alias({ collection, id }: RecordName, person: string): Uint8Array {
    return this.#short('alias', collection, id, person);
  }

  /** The topic of one caller: for roles that it gets and loses, and for records that not all holders of a role read. */
  person(person: string): string {
    return this.#topic('person', person);
  }

  owner(collection: string, person: string): string {
    return this.#topic('owner', collection, person);
  }

  everyone(collection: string): string {
    return this.#topic('everyone', collection);
  }

  /** Machine clients have a topic of their own: in a collection for several people they are not "everyone". */
  scope(collection: string, role: string, isMachine: boolean): string {
    return this.#topic(isMachine ? 'scope of clients' : 'scope', collection, role);
  }

  member(collection: string, id: string, role: string): string {
    return this.#topic('member', collection, id, role);
  }

  /** The topic of callers who follow events under a record that everyone can read. */
  under(collection: string, id: string): string {
    return this.#topic('under', collection, id);
  }

  /** An id that a caller has chosen, which is never used again. */
  usedId(collection: string, id: string): Uint8Array {
    return this.#digest.of('id', collection, id);
  }

  /** Callers who could read the record before or after an event; undefined if only its owner could. */
  audience(
    lineage: Lineage,
    record: RecordInContext,
    states: { readonly before?: string | null; readonly after?: string | null },
  ): readonly EventTopic[] | undefined {
    const [collection] = lineage;
    if (!collection.isShared) return undefined;
    const topicsFor = (isMachine: boolean) => (role: string) => {
      const reads = (state: string | null | undefined) =>
        state !== undefined && may(collection, 'read', heldWith([role], collection, isMachine), state);
      const hasFields = reads(states.after);
      if (!(hasFields || reads(states.before))) return [];
      return this.#topicsOf(lineage, record, role, isMachine).map((topic) => ({ topic, hasFields }));
    };
    const roles = ['owner', ...Object.keys(collection.roles), 'everyone'];
    const ofClients = collection.access.clients === 'none' ? [] : roles.flatMap(topicsFor(true));
    return inOneRow([...roles.flatMap(topicsFor(false)), ...ofClients]);
  }

  /** The topics of roles in the record whose holders can read its ancestors; for machine clients those of roles by a scope. */
  #topicsOf(lineage: Lineage, placed: RecordInContext, role: string, isMachine: boolean): readonly string[] {
    const [{ name, roles }] = lineage;
    const upper = lineageAbove(lineage);
    const { id } = placed.record;
    const rule = roles[role];
    if (isMachine && rule?.kind !== 'scope' && rule?.kind !== 'parent') return [];
    if (role === 'owner') return [this.owner(name, ownerIn(lineage, placed))];
    if (upper === null) {
      if (role === 'everyone') return [this.everyone(name)];
      return [rule?.kind === 'scope' ? this.scope(name, role, isMachine) : this.member(name, id, role)];
    }
    const { parent: upperRecord, members } = placed;
    if (!upperRecord) return [];
    const [next] = upper;
    const { record } = upperRecord;
    const opens = (...held: string[]) => may(next, 'read', heldWith(held, next, isMachine), record.state);
    if (rule?.kind === 'parent')
      return rule.parentRoles
        .filter((one) => opens(one))
        .flatMap((one) => this.#topicsOf(upper, upperRecord, one, isMachine));
    if (role === 'everyone') return this.#underEach(upper, upperRecord);
    if (rule?.kind === 'scope') {
      const isOpening = (one: string) =>
        isSameScope(next.roles[one], rule.scope) &&
        opens(one) &&
        this.#topicsOf(upper, upperRecord, one, isMachine).length > 0;
      const isForAll = isMachine ? opens() : this.#underEach(upper, upperRecord).length > 0;
      return isForAll || Object.keys(next.roles).some(isOpening) ? [this.scope(name, role, isMachine)] : [];
    }
    // While an action passes a role on, two people hold it. Each of them may have lost access to the parent.
    const holders = members.filter((one) => one.role === role);
    const readers = holders.filter((one) => canRead(upper, one.member, upperRecord));
    if (readers.length < holders.length) return readers.map((one) => this.person(one.member));
    return readers.length === 0 ? [] : [this.member(name, id, role)];
  }

  /** The topics of ancestors that everyone can read; none if one of them is not open to everyone. */
  #underEach(lineage: Lineage, placed: RecordInContext): readonly string[] {
    const [collection] = lineage;
    if (!may(collection, 'read', ['everyone'], placed.record.state)) return [];
    const own = this.under(collection.name, placed.record.id);
    const upper = lineageAbove(lineage);
    if (upper === null) return [own];
    const higher = placed.parent ? this.#underEach(upper, placed.parent) : [];
    return higher.length === 0 ? [] : [own, ...higher];
  }

  #topic(...parts: readonly string[]): string {
    return Buffer.from(this.#short('topic', ...parts)).toString('hex');
  }

  #short(...parts: readonly string[]): Uint8Array {
    return this.#digest.of(...parts).subarray(0, 16);
  }
}

/** Keeps one entry per topic: the one with the fields, if there is one. */
function inOneRow(topics: readonly EventTopic[]): readonly EventTopic[] {
  const byTopic = new Map<string, EventTopic>();
  for (const one of topics) if (one.hasFields || !byTopic.has(one.topic)) byTopic.set(one.topic, one);
  return [...byTopic.values()];
}

/** The roles of a caller that is neither the owner nor a member of the record. */
function heldWith(scopeRoles: readonly string[], collection: Collection, isMachine: boolean) {
  return rolesOn(collection, { isOwner: false, isMachine, scopeRoles, memberRoles: [] });
}

function isSameScope(rule: RoleRule | undefined, scope: string): boolean {
  return rule?.kind === 'scope' && rule.scope === scope;
}

/** Without the roles that a token would give. */
function canRead(lineage: Lineage, person: string, placed: RecordInContext): boolean {
  const roles = rolesIn(lineage, { id: person, isMachine: false }, placed);
  return may(lineage[0], 'read', roles, placed.record.state);
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

/** Not a machine client: only people have roles in records of others. */
export function isPerson(id: string): boolean {
  return id.startsWith('usr_');
}
