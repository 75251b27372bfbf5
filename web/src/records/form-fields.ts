import type { Collection } from '../api/types.ts';
import { type Field, fieldsOfSchema } from '../schema/shape.ts';
import { ownFields } from './family.ts';

/** The fields that a caller creates and edits: all but those that only actions set. */
export function editableFields(collection: Collection): readonly Field[] {
  const actions = Object.values(collection.states ?? {}).flatMap((of) => Object.values(of));
  const set = new Set(actions.flatMap(({ sets = [] }) => sets.map((name) => name.replace(/\?$/, ''))));
  return ownFields(collection).filter(({ name }) => !set.has(name));
}

/** The fields that an action takes as input. */
export function inputFields({ schema }: Collection, sets: readonly string[]): readonly Field[] {
  return fieldsOfSchema(schema)
    .filter(({ name }) => sets.includes(name) || sets.includes(`${name}?`))
    .map((field) => ({ ...field, required: sets.includes(field.name) }));
}
