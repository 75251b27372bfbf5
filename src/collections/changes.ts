import { isDeepStrictEqual } from 'node:util';
import { durationText } from '../base/duration.ts';
import { isJsonObject, type JsonObject } from '../base/json-object.ts';
import { brief } from '../base/yaml/mistakes.ts';
import type { Schema } from './collection.ts';
import type { Declaration, DeclaredMachine } from './declaration.ts';
import { rateText } from './rates.ts';

/** What differs between two declarations of a collection, a phrase each: `seats maximum 8 -> 4`. */
export function describeChanges(before: Declaration, after: Declaration): readonly string[] {
  return [
    ...schemaChanges(before.schema, after.schema, ''),
    ...machineChanges(before.machine, after.machine),
    ...memberChanges('index', names(before.index), names(after.index)),
    ...valueChanges(settingsOf(before), settingsOf(after)),
  ];
}

function schemaChanges(before: Schema, after: Schema, name: string): string[] {
  return changedMembers(before, after).flatMap((keyword) => {
    const [old, now] = [before[keyword], after[keyword]];
    if (keyword === 'properties') return propertyChanges(asMapping(old), asMapping(now), name);
    if (keyword === 'required') return requiredChanges(asList(old), asList(now), name);
    if (keyword === 'items' && isJsonObject(old) && isJsonObject(now))
      return schemaChanges(old, now, joined(name, 'items'));
    return [`${name === '' ? 'schema' : name} ${keyword} ${shown(old)} -> ${shown(now)}`];
  });
}

function propertyChanges(before: Schema, after: Schema, name: string): string[] {
  return changedMembers(before, after).flatMap((property) => {
    const [old, now] = [before[property], after[property]];
    const path = joined(name, property);
    if (old === undefined) return [`${path} added`];
    if (now === undefined) return [`${path} removed`];
    return schemaChanges(asMapping(old), asMapping(now), path);
  });
}

function requiredChanges(before: readonly string[], after: readonly string[], name: string): string[] {
  return [
    ...after.filter((one) => !before.includes(one)).map((one) => `${joined(name, one)} now required`),
    ...before.filter((one) => !after.includes(one)).map((one) => `${joined(name, one)} no longer required`),
  ];
}

function machineChanges(before: DeclaredMachine | null, after: DeclaredMachine | null): string[] {
  if (before === null && after === null) return [];
  if (before === null) return ['states added'];
  if (after === null) return ['states removed'];
  return [
    ...memberChanges('state', Object.keys(before.states), Object.keys(after.states)),
    ...Object.entries(after.states).flatMap(([state, actions]) => {
      const earlier = before.states[state];
      return earlier === undefined
        ? []
        : valueChanges(transitions(state, earlier), transitions(state, actions));
    }),
    ...valueChanges({ 'initial state': before.initial }, { 'initial state': after.initial }),
    ...Object.keys(after.states).flatMap((state) => {
      const isEditable = after.editable.includes(state);
      if (before.states[state] === undefined || before.editable.includes(state) === isEditable) return [];
      return [`state ${state} ${isEditable ? 'now' : 'no longer'} editable`];
    }),
  ];
}

function transitions(state: string, actions: DeclaredMachine['states'][string]): Record<string, string> {
  return Object.fromEntries(
    Object.entries(actions).map(([action, { to, by }]) => [`action ${state}.${action}`, `${to} (by ${by})`]),
  );
}

/** All that concerns no record that exists. */
function settingsOf({ title, description, access, concurrency, limits, events, deprecated }: Declaration) {
  const { newcomer, expireMs } = limits;
  return {
    title,
    description,
    'access read': access.read,
    'access clients': access.clients,
    'scope to read': access.scopes.read,
    'scope to write': access.scopes.write,
    concurrency,
    per_user: limits.perUser,
    bytes: limits.bytes,
    writes: rateText(limits.writes),
    newcomer: newcomer === null ? null : `${rateText(newcomer)} for ${durationText(newcomer.forMs)}`,
    expire: expireMs === null ? null : durationText(expireMs),
    // Declared by a release that had none yet: nothing is to be told of that.
    events: events === undefined ? 'thin' : (events?.data ?? 'none'),
    'events only': events?.only?.join(', ') ?? null,
    deprecated,
  };
}

function memberChanges(what: string, before: readonly string[], after: readonly string[]): string[] {
  return [
    ...before.filter((name) => !after.includes(name)).map((name) => `${what} ${name} removed`),
    ...after.filter((name) => !before.includes(name)).map((name) => `${what} ${name} added`),
  ];
}

function valueChanges(before: JsonObject, after: JsonObject): string[] {
  return changedMembers(before, after).map(
    (name) => `${name} ${shown(before[name])} -> ${shown(after[name])}`,
  );
}

function changedMembers(before: JsonObject, after: JsonObject): string[] {
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...names].filter((name) => !isDeepStrictEqual(before[name], after[name]));
}

function shown(value: unknown): string {
  if (value === undefined || value === null) return 'none';
  return brief(typeof value === 'string' ? value : JSON.stringify(value));
}

function joined(name: string, member: string): string {
  return name === '' ? member : `${name}.${member}`;
}

function names(index: Declaration['index']): readonly string[] {
  return index.map(({ name, kind }) => `${name} (${kind})`);
}

function asMapping(value: unknown): Schema {
  return isJsonObject(value) ? value : {};
}

function asList(value: unknown): readonly string[] {
  return Array.isArray(value) ? value : [];
}
