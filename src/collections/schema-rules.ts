import { isJsonObject, pointerTo } from '../base/strict-json.ts';
import { type Report, type ReportAt, suggestion } from '../base/yaml/mistakes.ts';
import type { Schema } from '../openapi/openapi-types.ts';
import { type JsonType, schemaChecks, typesOf } from './schema-grammar.ts';
import { isInPlace, roleIn, type SchemaRole, subschemasOf } from './subschemas.ts';

export const maxSchemaLevels = 16;

interface SchemaPlace {
  readonly pointer: string;
  readonly level: number;
  readonly role: SchemaRole;
  /** The members of the described object; null: unknown. */
  readonly members: ReadonlySet<string> | null;
  readonly definitions: Schema;
  readonly say: Report;
}

/** Reports every mistake, and takes out values of a wrong type. */
export function checkSchema(schema: Schema, pointer: string, say: Report): void {
  const definitions = isJsonObject(schema.$defs) ? schema.$defs : {};
  check(schema, { pointer, level: 0, role: 'description', members: null, definitions, say });
}

function check(schema: Schema, place: SchemaPlace): void {
  const { pointer, level, role, say } = place;
  // It was taken out.
  if (Object.keys(schema).length === 0 && !say.isRight(pointer)) return;
  if (level > maxSchemaLevels) {
    say(pointer, `is deeper than ${maxSchemaLevels} levels of schemas. Make it flatter`);
    return;
  }
  schemaChecks[level === 0 ? 'top' : role](schema, say, pointer);
  const own = isJsonObject(schema.properties) ? schema.properties : null;
  // A condition may only name members of the object that it applies to.
  const members = role === 'condition' ? place.members : own && new Set(Object.keys(own));
  if (schema.$ref !== undefined && say.isRight(`${pointer}/$ref`)) checkReference(String(schema.$ref), place);
  checkValues(schema, pointer, say);
  if (role === 'description') checkNames(own ?? {}, place);
  if (members !== null && (members.size > 0 || say.isRight(`${pointer}/properties`)))
    checkMembers(schema, members, place);
  for (const { keyword, pointer: below, schema: part } of subschemasOf(schema)) {
    check(part, {
      ...place,
      pointer: `${pointer}${below}`,
      level: level + 1,
      role: roleIn(schema, keyword, role),
      members: isInPlace(keyword) ? members : null,
    });
  }
}

function checkReference(reference: string, { pointer, definitions, say }: SchemaPlace): void {
  const name = reference.slice('#/$defs/'.length);
  const known = Object.keys(definitions);
  if (!known.includes(name))
    say(
      pointerTo(pointer, '$ref'),
      `refers to nothing: there is no "${name}" in $defs; ${suggestion(name, known)}`,
    );
}

function checkNames(properties: Schema, { pointer, say }: SchemaPlace): void {
  for (const [name, property] of Object.entries(properties)) {
    if (looksPersonal(name) && isJsonObject(property) && property['x-personal'] === undefined)
      say(
        pointerTo(`${pointer}/properties`, name),
        'looks like personal data. Leave it out, or set "x-personal: true"; set "x-personal: false" if it is not about a person',
      );
  }
}

function checkMembers(schema: Schema, members: ReadonlySet<string>, { pointer, say }: SchemaPlace): void {
  for (const keyword of ['required', 'properties', 'dependentRequired']) {
    const value = schema[keyword] ?? {};
    const isList = Array.isArray(value);
    for (const [key, item] of Object.entries(value)) {
      const name = isList ? String(item) : key;
      if (!members.has(name))
        say(
          pointerTo(`${pointer}/${keyword}`, key),
          `names "${name}", which is not a property of the object; ${suggestion(name, [...members])}`,
        );
    }
  }
}

function checkValues(schema: Schema, pointer: string, say: ReportAt): void {
  for (const [lower, upper] of [
    ['minimum', 'maximum'],
    ...['Length', 'Items', 'Contains', 'Properties'].map((what) => [`min${what}`, `max${what}`]),
  ] as [string, string][]) {
    const [from, to] = [schema[lower], schema[upper]];
    if (typeof from === 'number' && typeof to === 'number' && from > to)
      say(pointerTo(pointer, lower), `must not be above "${upper}", which is ${to}; found ${from}`);
  }
  const types = typesOf(schema);
  for (const keyword of ['enum', 'const']) {
    const values = schema[keyword] === undefined ? [] : [schema[keyword]].flat();
    if (types.length > 0 && values.some((value) => !types.some((type) => isOfType(value, type))))
      say(pointerTo(pointer, keyword), `has a value that is not of the type "${types.join('" or "')}"`);
  }
}

function isOfType(value: unknown, type: JsonType): boolean {
  if (type === 'null') return value === null;
  return type === 'integer' ? Number.isInteger(value) : value !== null && typeof value === type;
}

const personalWords = new Set(
  'name fullname firstname lastname surname forename nickname email mail phone telephone mobile dob address street picture avatar photo'.split(
    ' ',
  ),
);

/** True for names such as `first_name`, `eMail`, `birthDate`. */
export function looksPersonal(name: string): boolean {
  const words = wordsOf(name);
  const joined = words.slice(1).map((word, index) => `${words[index]}${word}`);
  return [...words, ...joined].some(
    (word) =>
      personalWords.has(word) ||
      personalWords.has(word.replace(/e?s$/, '')) ||
      /^birth(s|day|date|place|year|month|days|dates)?$/.test(word),
  );
}

function wordsOf(name: string): readonly string[] {
  return name
    .replaceAll(/(\p{Ll}|\d)(\p{Lu})/gu, '$1 $2')
    .replaceAll(/(\p{Lu})(\p{Lu}\p{Ll})/gu, '$1 $2')
    .toLowerCase()
    .split(/[^\p{L}]+/u)
    .filter((word) => word !== '');
}
