import type { Caller } from '../base/caller.ts';
import { Refusal } from '../base/errors.ts';
import { requireScopes, scopesOf } from '../base/scopes.ts';
import type { Collection, StateMachine, Transition } from '../collections/collection.ts';
import type { StoredRecord } from '../storage/port.ts';

export interface CallerIdentity {
  readonly id: string;
  readonly kind: Caller['kind'];
  /** A client of POST /token: budgets for people do not apply. */
  readonly isMachine: boolean;
}

type Bearer = Pick<Caller, 'id' | 'kind' | 'scopes' | 'credentialId'>;

/** What an admitted caller may see and do in a collection. Rules about who may do what belong here. */
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

  /** The owner whose records this caller sees; null: all owners. */
  get visibleOwner(): string | null {
    return this.#collection.access.read === 'everyone' || this.reachesAll ? null : this.id;
  }

  sees({ owner }: StoredRecord): boolean {
    return this.visibleOwner === null || owner === this.id;
  }

  mayChange({ owner }: StoredRecord): boolean {
    return owner === this.id || this.reachesAll;
  }

  actionsOn(machine: StateMachine, record: StoredRecord): string[] {
    const transitions = [...(machine.states.get(record.state ?? '') ?? [])];
    return transitions.flatMap(([action, { by }]) => (this.mayTake(by, record) ? [action] : []));
  }

  mayTake(by: Transition['by'], { owner }: StoredRecord): boolean {
    const isOwner = owner === this.id;
    const asClient = this.caller.isMachine && (isOwner || this.reachesAll);
    return by === 'owner' ? isOwner : by === 'client' ? asClient : isOwner || asClient;
  }

  get reachesAll(): boolean {
    return this.caller.isMachine && this.#collection.access.clients === 'any';
  }
}

export function ownerOf({ id }: Pick<Bearer, 'id'>): string {
  if (id === null) throw new Refusal('subject_required');
  return id;
}

/** For export and erasure: the token needs the scopes of every collection. */
export function requireScopesOf(
  collections: readonly Collection[],
  { scopes }: Pick<Bearer, 'scopes'>,
  purpose: 'read' | 'write',
): void {
  requireScopes(scopesOf(collections, [purpose]), scopes);
}
