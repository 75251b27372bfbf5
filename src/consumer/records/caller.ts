import { Refusal } from '../../base/errors.ts';
import type { Principal } from '../../base/principal.ts';
import type { StoredRecord } from '../../storage/port.ts';
import type { Collection, StateMachine, Transition } from '../collections/collection.ts';

/** Whoever calls, as plain data. */
export interface CallerIdentity {
  readonly id: string;
  readonly kind: Principal['kind'];
  /** A client of POST /token. */
  readonly isMachine: boolean;
}

/** What is asked of whoever a token speaks for. */
type Bearer = Pick<Principal, 'id' | 'kind' | 'scopes' | 'credentialId'>;

/** Whoever has come through the door of a collection, and what is open to it there. */
export class Caller {
  readonly id: string;
  readonly kind: Bearer['kind'];
  readonly #collection: Collection;
  /** A client of POST /token: the operator's own, so that budgets meant for people do not bind it. */
  readonly isMachine: boolean;

  constructor({ id, kind, isMachine }: CallerIdentity, collection: Collection) {
    this.id = id;
    this.kind = kind;
    this.#collection = collection;
    this.isMachine = isMachine;
  }

  static admit(collection: Collection, principal: Bearer, purpose: 'read' | 'write'): Caller {
    const { clients, scopes } = collection.access;
    const id = ownerOf(principal);
    const isMachine = principal.credentialId !== null;
    if (clients === 'none' && isMachine) throw new Refusal('client_not_admitted');
    const scope = scopes[purpose];
    if (scope !== null && !principal.scopes.includes(scope))
      throw new Refusal('insufficient_scope', { scope: [scope] });
    return new Caller({ id, kind: principal.kind, isMachine }, collection);
  }

  /** Whose records this caller sees; null: everybody's. */
  get horizon(): string | null {
    return this.#collection.access.read === 'everyone' || this.#reachesAll ? null : this.id;
  }

  sees({ owner }: StoredRecord): boolean {
    return this.horizon === null || owner === this.id;
  }

  mayChange({ owner }: StoredRecord): boolean {
    return owner === this.id || this.#reachesAll;
  }

  /** What this caller may do with a record in its present state. */
  actionsOn(machine: StateMachine, record: StoredRecord): string[] {
    const transitions = [...(machine.states.get(record.state ?? '') ?? [])];
    return transitions.flatMap(([action, { by }]) => (this.mayTake(by, record) ? [action] : []));
  }

  mayTake(by: Transition['by'], { owner }: StoredRecord): boolean {
    const isOwner = owner === this.id;
    const asClient = this.isMachine && (isOwner || this.#reachesAll);
    return by === 'owner' ? isOwner : by === 'client' ? asClient : isOwner || asClient;
  }

  get #reachesAll(): boolean {
    return this.isMachine && this.#collection.access.clients === 'any';
  }
}

/** Whatever is kept needs somebody to whom it belongs. */
export function ownerOf({ id }: Pick<Bearer, 'id'>): string {
  if (id === null) throw new Refusal('subject_required');
  return id;
}

/** For what reaches into all collections at once: a token that one of them would refuse does not get round it. */
export function requireScopes(
  collections: readonly Collection[],
  { scopes }: Pick<Bearer, 'scopes'>,
  purpose: 'read' | 'write',
): void {
  const wanted = [...new Set(collections.flatMap(({ access }) => access.scopes[purpose] ?? []))];
  if (wanted.some((scope) => !scopes.includes(scope)))
    throw new Refusal('insufficient_scope', { scope: wanted });
}
