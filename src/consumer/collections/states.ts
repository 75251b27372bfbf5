import { isJsonObject } from '../../base/json-object.ts';
import { pointerTo } from '../../base/yaml/json-pointer.ts';
import { found, listed, readChoice, readMapping, type Say, suggestion } from '../../base/yaml/mistakes.ts';
import type { StateMachine, Transition } from './collection.ts';

export const nameForm = /^[a-z][a-z0-9_-]{0,31}$/;
export const mostStates = 32;

/** The members `states` and `editable` of a declaration. */
export function readStates(value: unknown, editable: unknown, say: Say): StateMachine | null {
  if (value === undefined) {
    if (editable !== undefined)
      say('/editable', 'lists states, and there are none. Declare "states", or leave it out');
    return null;
  }
  const names = isJsonObject(value) ? Object.keys(value) : [];
  const [initial] = names;
  if (!isJsonObject(value) || initial === undefined || names.length > mostStates) {
    say(
      '/states',
      `must be a mapping of 1 to ${mostStates} states, the first of them the initial one; ${found(value)}`,
    );
    return null;
  }
  const states = new Map(
    Object.entries(value).map(([state, actions]) => {
      const pointer = pointerTo('/states', state);
      checkName(state, pointer, say);
      return [state, readActions(actions, pointer, names, say)];
    }),
  );
  const actions = new Set([...states.values()].flatMap((transitions) => [...transitions.keys()]));
  return { initial, states, editable: readEditable(editable, names, say), actions: [...actions] };
}

/** A state without actions is final, whether it is written `{}` or with nothing at all. */
function readActions(
  value: unknown,
  pointer: string,
  states: readonly string[],
  say: Say,
): Map<string, Transition> {
  if (value === null) return new Map();
  if (!isJsonObject(value)) {
    say(pointer, `must be a mapping of actions to states, {} for a final one; ${found(value)}`);
    return new Map();
  }
  return new Map(
    Object.entries(value).map(([action, transition]) => {
      const at = pointerTo(pointer, action);
      checkName(action, at, say);
      return [action, readTransition(transition, at, states, say)];
    }),
  );
}

function readTransition(value: unknown, pointer: string, states: readonly string[], say: Say): Transition {
  const isShort = !isJsonObject(value);
  const members = isShort ? { to: value } : (readMapping(value, pointer, ['to', 'by'], say) ?? {});
  const { to, by } = members as { readonly to?: unknown; readonly by?: unknown };
  const at = isShort ? pointer : pointerTo(pointer, 'to');
  if (typeof to !== 'string') say(at, `must name the state that the action leads to; ${found(to)}`);
  else if (!states.includes(to)) say(at, `must be a declared state; ${found(to)}, ${suggestion(to, states)}`);
  return { to: String(to), by: readChoice(by, pointerTo(pointer, 'by'), ['owner', 'client', 'any'], say) };
}

function readEditable(value: unknown, states: readonly string[], say: Say): ReadonlySet<string> {
  if (value === undefined) return new Set(states);
  if (!Array.isArray(value)) {
    say('/editable', `must be a list of states, such as [${states[0]}]; ${found(value)}`);
    return new Set();
  }
  for (const [index, state] of value.entries()) {
    const at = pointerTo('/editable', index);
    if (!states.includes(state))
      say(at, `must be one of the states ${listed(states, 'or')}; ${found(state)}`);
    else if (value.indexOf(state) !== index) say(at, `is there twice; ${found(state)}`);
  }
  return new Set(value);
}

function checkName(name: string, pointer: string, say: Say): void {
  if (nameForm.test(name)) return;
  say(pointer, 'must have a name of 1 to 32 small letters, digits, "_" and "-" that begins with a letter');
}
