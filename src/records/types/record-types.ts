import { type Collection, ownMembers } from '../../collections/collection.ts';
import { recordSchemas } from '../describe/in-collection.ts';
import { objectType } from './schema-type.ts';
import { comment, literal, sentence } from './source-text.ts';

/** The interfaces of a record: as read, created and changed. */
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

export interface TypeNames {
  readonly record: string;
  readonly fields: string;
  readonly changes: string;
}

/** "team-bookings" is `TeamBooking`. On a conflict the later collection keeps its plural. */
export function nameTypes(collections: readonly string[], reserved: readonly string[]): readonly TypeNames[] {
  const taken = new Set(reserved);
  return collections.map((collection) => {
    const isFree = (name: string) => Object.values(namesOf(name)).every((each) => !taken.has(each));
    let name = inCapitals(singularOf(collection));
    if (!isFree(name)) name = inCapitals(collection);
    while (!isFree(name)) name += '_';
    const names = namesOf(name);
    for (const each of Object.values(names)) taken.add(each);
    return names;
  });
}

function namesOf(name: string): TypeNames {
  return { record: name, fields: `${name}Fields`, changes: `${name}Changes` };
}

/** Stays unique: a "-" that is not before a letter becomes "_". */
function inCapitals(name: string): string {
  return name.replaceAll(/(?:^|-)([a-z])/g, (_, letter: string) => letter.toUpperCase()).replaceAll('-', '_');
}

/** Words that only look like a plural. */
const singular = /(?:ss|us|is|news|series|species)$/;
const pluralOfIe = /(?:^|-)(?:cookie|movie|pie|selfie|tie)s$/;
const pluralOfUs = /(?:^|-)(?:bonus|bus|campus|status|virus)es$/;

/** "entries" is "entry"; a name that is not a regular English plural stays. */
function singularOf(name: string): string {
  if (!/^[a-z][a-z-]*[a-z]s$/.test(name) || singular.test(name)) return name;
  if (name.endsWith('ies') && !pluralOfIe.test(name)) return `${name.slice(0, -3)}y`;
  return name.slice(0, /(?:ch|sh|x|ss|z)es$/.test(name) || pluralOfUs.test(name) ? -2 : -1);
}
