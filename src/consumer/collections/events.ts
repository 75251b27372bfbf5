import { isJsonObject } from '../../base/json-object.ts';
import { pointerTo } from '../../base/yaml/json-pointer.ts';
import { found, listed, readChoice, readMapping, type Say } from '../../base/yaml/mistakes.ts';
import { type EventRules, recordEvents } from '../../events/catalogue.ts';
import type { StateMachine } from './collection.ts';

/** What a collection has when its declaration says nothing. */
const standard: EventRules = { data: 'thin', only: null };

/** The member `events` of a declaration: `none`, `thin` or `full`, or a mapping that also says which. */
export function readEvents(value: unknown, machine: StateMachine | null, say: Say): EventRules | null {
  if (value === undefined) {
    checkStates(machine, say);
    return standard;
  }
  const isShort = !isJsonObject(value);
  const members = isShort ? { data: value } : (readMapping(value, '/events', ['data', 'only'], say) ?? {});
  const { data, only } = members as { readonly data?: unknown; readonly only?: unknown };
  const pointer = isShort ? '/events' : '/events/data';
  const choice = readChoice(data, pointer, isShort ? ['thin', 'full', 'none'] : ['thin', 'full'], say);
  if (choice === 'none') return null;
  checkStates(machine, say);
  return { data: choice as EventRules['data'], only: readOnly(only, machine, say) };
}

function readOnly(value: unknown, machine: StateMachine | null, say: Say): ReadonlySet<string> | null {
  if (value === undefined) return null;
  const names = [...recordEvents, ...reachedStates(machine)];
  if (!Array.isArray(value) || value.length === 0) {
    say('/events/only', `must be a list of what is told, such as [created, deleted]; ${found(value)}`);
    return null;
  }
  for (const [index, name] of value.entries()) {
    const at = pointerTo('/events/only', index);
    if (!names.includes(name)) say(at, `must be one of ${listed(names, 'or')}; ${found(name)}`);
    else if (value.indexOf(name) !== index) say(at, `is there twice; ${found(name)}`);
  }
  return new Set(value);
}

/** States that an action leads to: the events of actions are named after them. */
export function reachedStates(machine: StateMachine | null): readonly string[] {
  const transitions = [...(machine?.states.values() ?? [])].flatMap((actions) => [...actions.values()]);
  return [...new Set(transitions.map(({ to }) => to))];
}

/** Two events of one name could not be told apart. */
function checkStates(machine: StateMachine | null, say: Say): void {
  for (const state of reachedStates(machine).filter((name) => recordEvents.some((event) => event === name)))
    say(
      pointerTo('/states', state),
      'has the name of an event that all collections have, and actions lead to it. Give it another name, or set "events" to "none"',
    );
}
