import { pointerTo } from '../base/strict-json.ts';
import { found, listed, type Report, type ReportAt, suggestion } from '../base/yaml/mistakes.ts';
import { memberEvents, recordEvents } from '../events/catalogue.ts';
import { type StateMachine, statesOf, transitionsOf } from './collection.ts';
import type { Declaration } from './declaration.ts';
import type { DeclarationFile } from './declaration-schema.ts';
import { parseDay } from './normalise.ts';

/** Reports contradictions between `states`, `editable`, `access` and `events`. */
export function checkStates(declaration: Declaration, say: Report): void {
  const { file, machine } = declaration;
  const states = statesOf(declaration);
  for (const { from, action, to } of transitionsOf(declaration)) {
    const isShort = typeof file.states?.[from]?.[action] === 'string';
    checkKnown(to, states, 'a declared state', `${actionPointer(from, action)}${isShort ? '' : '/to'}`, say);
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
  const perhaps = say.isRight('/states') ? [] : statesOf({ machine });
  const known = [...recordEvents, ...reached];
  for (const [index, name] of (only ?? []).entries())
    if (!known.includes(name) && !perhaps.includes(name))
      say(pointerTo('/events/only', index), `must be one of ${listed(known, 'or')}; ${found(name)}`);
}

export function actionPointer(state: string, action: string): string {
  return pointerTo(pointerTo('/states', state), action);
}

/** Reports a name that nothing has: `must be a role; found "x", did you mean "y"?`. */
export function checkKnown(
  name: string,
  known: readonly string[],
  what: string,
  pointer: string,
  say: ReportAt,
): void {
  if (!known.includes(name)) say(pointer, `must be ${what}; ${found(name)}, ${suggestion(name, known)}`);
}

export function checkStateNames(
  names: readonly string[],
  pointer: string,
  states: readonly string[],
  say: ReportAt,
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
  return [...new Set(transitionsOf({ machine }).map(({ to }) => to))];
}

export function checkDeprecation({ deprecated }: DeclarationFile, say: ReportAt): void {
  const { since = '', sunset } = deprecated ?? {};
  if (sunset !== undefined && parseDay(sunset) < parseDay(since))
    say('/deprecated/sunset', `must not come before "since"; ${found(sunset)}`);
}
