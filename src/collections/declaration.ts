import type { Collection, CollectionLimits, StateMachine, Transition } from './collection.ts';

/** A collection as plain data: what is written down, to be compared with what is declared later. */
export interface Declaration
  extends Pick<
    Collection,
    'name' | 'title' | 'description' | 'schema' | 'index' | 'access' | 'concurrency' | 'deprecated'
  > {
  readonly machine: DeclaredMachine | null;
  readonly limits: CollectionLimits;
  readonly events: { readonly data: 'thin' | 'full'; readonly only: readonly string[] | null } | null;
}

export interface DeclaredMachine {
  readonly initial: string;
  /** By state, then by action. */
  readonly states: Readonly<Record<string, Readonly<Record<string, Transition>>>>;
  readonly editable: readonly string[];
}

export function toDeclaration({ checkFields: _, machine, events, ...plain }: Collection): Declaration {
  return {
    ...plain,
    machine: machine === null ? null : plainMachine(machine),
    events: events === null ? null : { ...events, only: events.only && [...events.only] },
  };
}

function plainMachine({ initial, states, editable }: StateMachine): DeclaredMachine {
  const byState = [...states].map(([state, actions]) => [state, Object.fromEntries(actions)] as const);
  return { initial, states: Object.fromEntries(byState), editable: [...editable] };
}
