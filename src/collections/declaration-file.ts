import type { EventRules } from '../events/catalogue.ts';
import type {
  Collection,
  CollectionLimits,
  Deprecation,
  Schema,
  StateMachine,
  Transition,
} from './collection.ts';
import { defaultLimits, parseNewcomerRate, parsePeriod, parseRate } from './limits.ts';
import { parseDay } from './normalise.ts';

/** A declaration that fits the schema. A member with a default is always there. */
export interface DeclarationFile {
  readonly schema: Schema;
  readonly title?: string;
  readonly description?: string;
  readonly index: readonly string[];
  readonly states?: DeclaredStates;
  readonly editable?: readonly string[];
  readonly access: {
    readonly read: 'owner' | 'everyone';
    readonly clients: 'none' | 'own' | 'any';
    readonly scopes: { readonly read?: string; readonly write?: string };
  };
  readonly concurrency: 'optional' | 'required';
  readonly limits: {
    readonly per_user: number;
    readonly bytes: number;
    readonly writes: string;
    readonly newcomer?: string;
    readonly expire?: string;
  };
  readonly events:
    | 'thin'
    | 'full'
    | 'none'
    | { readonly data: 'thin' | 'full'; readonly only?: readonly string[] };
  readonly deprecated?: { readonly since: string; readonly sunset?: string; readonly link?: string };
}

/** By state, then by action. A final state may be null; an action may be only the state that it leads to. */
export type DeclaredStates = Readonly<
  Record<
    string,
    Readonly<Record<string, string | { readonly to: string; readonly by: 'owner' | 'client' | 'any' }>> | null
  >
>;

/** The collection without its fields. */
export function toCollection(
  name: string,
  file: DeclarationFile,
): Omit<Collection, 'schema' | 'index' | 'checkFields'> {
  const { title, description, access, concurrency } = file;
  const { read, clients, scopes } = access;
  return {
    name,
    title: title?.trim() ?? name,
    description: description?.trim() ?? null,
    machine: toMachine(file),
    access: { read, clients, scopes: { read: scopes.read ?? null, write: scopes.write ?? null } },
    concurrency,
    limits: toLimits(file),
    events: toEventRules(file),
    deprecated: toDeprecation(file),
  };
}

export function toMachine({ states, editable }: DeclarationFile): StateMachine | null {
  if (states === undefined) return null;
  const byState = new Map(
    Object.entries(states).map(([state, actions]) => {
      const transitions = Object.entries(actions ?? {}).map(([action, transition]): [string, Transition] => [
        action,
        typeof transition === 'string' ? { to: transition, by: 'owner' } : transition,
      ]);
      return [state, new Map(transitions)];
    }),
  );
  const [initial = ''] = byState.keys();
  const actions = new Set([...byState.values()].flatMap((transitions) => [...transitions.keys()]));
  return { initial, states: byState, editable: new Set(editable ?? byState.keys()), actions: [...actions] };
}

function toEventRules({ events }: DeclarationFile): EventRules | null {
  if (events === 'none') return null;
  if (typeof events === 'string') return { data: events, only: null };
  return { data: events.data, only: events.only === undefined ? null : new Set(events.only) };
}

function toLimits({ limits }: DeclarationFile): CollectionLimits {
  const { per_user, bytes, writes, newcomer, expire } = limits;
  return {
    perUser: per_user,
    bytes,
    writes: parseRate(writes) ?? defaultLimits.writes,
    newcomer: newcomer === undefined ? null : parseNewcomerRate(newcomer),
    expireMs: expire === undefined ? null : parsePeriod(expire),
  };
}

function toDeprecation({ deprecated }: DeclarationFile): Deprecation | null {
  if (deprecated === undefined) return null;
  const { since, sunset, link = null } = deprecated;
  return { sinceMs: parseDay(since), sunsetMs: sunset === undefined ? null : parseDay(sunset), link };
}
