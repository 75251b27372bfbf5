import type { Caller } from '../base/caller.ts';
import { Refusal } from '../base/errors.ts';
import { requireScopes, scopesOf } from '../base/scopes.ts';
import type { Collection, StateMachine, Transition } from '../collections/collection.ts';
import type { StoredRecord } from '../storage/port.ts';

/** A caller with a pseudonym, as plain data. */
export interface CallerIdentity {
  readonly id: string;
  readonly kind: Caller['kind'];
  /** A client of POST /token: the operator's own, so that budgets meant for people do not bind it. */
  readonly isMachine: boolean;
}

type Bearer = Pick<Caller, 'id' | 'kind' | 'scopes' | 'credentialId'>;

/** What a caller that a collection admits may see and do there. */
export class CallerAccess {
  readonly caller: CallerIdentity;
  readonly #collection: Collection;

  constructor(caller: CallerIdentity, collection: Collection) {
    this.caller = caller;
    this.#collection = collection;
  }

  get id(): string {
    return this.caller.id;
  }

  static admit(collection: Collection, caller: Bearer, purpose: 'read' | 'write'): CallerAccess {
    const { clients, scopes } = collection.access;
    const id = ownerOf(caller);
    const isMachine = caller.credentialId !== null;
    if (clients === 'none' && isMachine) throw new Refusal('client_not_admitted');
    const scope = scopes[purpose];
    if (scope !== null) requireScopes([scope], caller.scopes);
    return new CallerAccess({ id, kind: caller.kind, isMachine }, collection);
  }

  /** Whose records this caller sees; null: everybody's. */
  get visibleOwner(): string | null {
    return this.#collection.access.read === 'everyone' || this.reachesAll ? null : this.id;
  }

  sees({ owner }: StoredRecord): boolean {
    return this.visibleOwner === null || owner === this.id;
  }

  mayChange({ owner }: StoredRecord): boolean {
    return owner === this.id || this.reachesAll;
  }

  /** What this caller may do with a record in its present state. */
  actionsOn(machine: StateMachine, record: StoredRecord): string[] {
    const transitions = [...(machine.states.get(record.state ?? '') ?? [])];
    return transitions.flatMap(([action, { by }]) => (this.mayTake(by, record) ? [action] : []));
  }

  mayTake(by: Transition['by'], { owner }: StoredRecord): boolean {
    const isOwner = owner === this.id;
    const asClient = this.caller.isMachine && (isOwner || this.reachesAll);
    return by === 'owner' ? isOwner : by === 'client' ? asClient : isOwner || asClient;
  }

  /** Whether it may see and change everybody's. */
  get reachesAll(): boolean {
    return this.caller.isMachine && this.#collection.access.clients === 'any';
  }
}

/** Whatever is kept needs somebody to whom it belongs. */
export function ownerOf({ id }: Pick<Bearer, 'id'>): string {
  if (id === null) throw new Refusal('subject_required');
  return id;
}

/** For what reaches into all collections at once: a token that one of them would refuse does not get round it. */
export function requireScopesOf(
  collections: readonly Collection[],
  { scopes }: Pick<Bearer, 'scopes'>,
  purpose: 'read' | 'write',
): void {
  requireScopes(scopesOf(collections, [purpose]), scopes);
}
