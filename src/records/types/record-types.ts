import { type Collection, ownMembers } from '../../collections/collection.ts';
import { recordSchemas } from '../describe/record-schemas.ts';
import { objectType } from './schema-type.ts';
import { comment, literal, sentence } from './source-text.ts';
import type { TypeNames } from './type-names.ts';

/** What a record is when it is read, made and changed: an interface each, from the schemas of the OpenAPI document. */
export function recordTypes(collection: Collection, names: TypeNames): readonly string[] {
  const { name, schema, title } = collection;
  const { components } = recordSchemas(collection);
  const about = [title, collection.description, schema.description].map((text) =>
    sentence(String(text ?? '')),
  );
  const which = `of ${literal(name)}`;
  return [
    `${comment([...about, `A record ${which}, as it is read.`])}export interface ${names.record} ${objectType(components[`${name}.record`] ?? {}, 'read', ownMembers)}`,
    `${comment([`The fields of a new record ${which}, or of one that is replaced.`])}export interface ${names.fields} ${objectType(schema, 'write')}`,
    `${comment([`What is to change in a record ${which}: null takes a field away that need not be there.`])}export interface ${names.changes} ${objectType(components[`${name}.patch`] ?? {}, 'write')}`,
  ];
}
