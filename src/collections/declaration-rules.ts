import { pointerTo } from '../base/strict-json.ts';
import { found, listed, type Report, type Say, suggestion } from '../base/yaml/mistakes.ts';
import { memberEvents, recordEvents } from '../events/catalogue.ts';
import type { StateMachine } from './collection.ts';
import { type DeclarationFile, toMachine } from './declaration-file.ts';
import { parseDay } from './normalise.ts';

/** Reports contradictions between `states`, `editable`, `access` and `events`. */
export function checkStates(file: DeclarationFile, say: Report): void {
  const machine = toMachine(file);
  const states = [...(machine?.states.keys() ?? [])];
  for (const [state, actions] of machine?.states ?? []) {
    for (const [action, { to }] of actions) {
      const at = pointerTo(pointerTo('/states', state), action);
      const isShort = typeof file.states?.[state]?.[action] === 'string';
      if (!states.includes(to))
        say(isShort ? at : `${at}/to`, `must be a declared state; ${found(to)}, ${suggestion(to, states)}`);
    }
  }
  if (say.isRight('/editable')) checkStateNames(file.editable ?? [], '/editable', states, say);
  checkEvents(file, machine, say);
}

function checkEvents({ events, roles }: DeclarationFile, machine: StateMachine | null, say: Report): void {
  if (events === 'none') return;
  const reached = reachedStates(machine);
  const taken: readonly string[] = roles === undefined ? recordEvents : [...recordEvents, ...memberEvents];
  for (const state of reached.filter((name) => taken.includes(name)))
    say(
      pointerTo('/states', state),
      'has the name of an event that all collections have, and actions lead to it. Give it another name, or set "events" to "none"',
    );
  const only = typeof events === 'string' ? undefined : events.only;
  // A misspelt action may be the one that leads to the state.
  const perhaps = say.isRight('/states') ? [] : [...(machine?.states.keys() ?? [])];
  const known = [...recordEvents, ...reached];
  for (const [index, name] of (only ?? []).entries())
    if (!known.includes(name) && !perhaps.includes(name))
      say(pointerTo('/events/only', index), `must be one of ${listed(known, 'or')}; ${found(name)}`);
}

export function checkStateNames(
  names: readonly string[],
  pointer: string,
  states: readonly string[],
  say: Say,
): void {
  for (const [index, name] of names.entries())
    if (!states.includes(name))
      say(
        pointerTo(pointer, index),
        states.length === 0
          ? 'lists states, but the collection has none. Declare "states"'
          : `must be one of the states ${listed(states, 'or')}; ${found(name)}`,
      );
}

/** States that actions lead to: the events of actions are named after them. */
export function reachedStates(machine: StateMachine | null): readonly string[] {
  const transitions = [...(machine?.states.values() ?? [])].flatMap((actions) => [...actions.values()]);
  return [...new Set(transitions.map(({ to }) => to))];
}

export function checkDeprecation({ deprecated }: DeclarationFile, say: Say): void {
  const { since = '', sunset } = deprecated ?? {};
  if (sunset !== undefined && parseDay(sunset) < parseDay(since))
    say('/deprecated/sunset', `must not come before "since"; ${found(sunset)}`);
}
