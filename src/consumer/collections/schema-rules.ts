import { isJsonObject } from '../../base/json-object.ts';
import { pointerTo } from '../../base/yaml/json-pointer.ts';
import { found, nearest, type Say, suggestion } from '../../base/yaml/mistakes.ts';
import { ownMembers, type Schema } from './collection.ts';
import { looksPersonal } from './personal-names.ts';
import { annotations, type JsonType, keywords, topKeywords, typesOf } from './schema-keywords.ts';
import { isInPlace, type Role, roleIn, saysType } from './schema-roles.ts';
import { checkValues } from './schema-values.ts';
import { subschemasOf } from './subschemas.ts';

export const mostSchemaLevels = 16;

export const topNameForm = /^[A-Za-z][A-Za-z0-9_]{0,62}$/;
export const nameForm = /^[^\p{Cc}]{1,128}$/u;

interface Place {
  readonly pointer: string;
  readonly level: number;
  readonly role: Role;
  /** The members of the object that the schema is about; null where they are not known. */
  readonly members: ReadonlySet<string> | null;
  readonly definitions: Schema;
  readonly say: Say;
}

/** Says all that is wrong with the schema of a collection. */
export function checkSchema(schema: unknown, pointer: string, say: Say): void {
  if (
    !isJsonObject(schema) ||
    !isJsonObject(schema.properties) ||
    Object.keys(schema.properties).length === 0
  ) {
    const misspelt = Object.keys(isJsonObject(schema) ? schema : {}).find(
      (name) => name !== 'properties' && nearest(name, ['properties']) !== null,
    );
    if (misspelt !== undefined) {
      say(pointerTo(pointer, misspelt), 'is not taken here; did you mean "properties"?');
      return;
    }
    const example = 'schema: {properties: {text: {type: string, maxLength: 280}}}';
    say(pointer, `must be a mapping with "properties", for example ${example}; ${found(schema)}`);
    return;
  }
  if (schema.type !== undefined && schema.type !== 'object') {
    say(pointerTo(pointer, 'type'), `must be "object", or be left out; ${found(schema.type)}`);
    return;
  }
  for (const name of Object.keys(schema.properties))
    checkTopName(name, pointerTo(`${pointer}/properties`, name), say);
  const definitions = isJsonObject(schema.$defs) ? schema.$defs : {};
  check(schema, { pointer, level: 0, role: 'description', members: null, definitions, say });
}

function checkTopName(name: string, pointer: string, say: Say): void {
  if (ownMembers.has(name)) say(pointer, 'is a member that every record has. Choose another name');
  else if (!topNameForm.test(name)) {
    say(pointer, 'must have a name of 1 to 63 letters, digits and "_" that begins with a letter');
  }
}

function check(schema: Schema, place: Place): void {
  const { pointer, level, role, say } = place;
  if (level > mostSchemaLevels) {
    say(pointer, `is deeper than ${mostSchemaLevels} levels of schemas. Make it flatter`);
    return;
  }
  checkKeywords(schema, place);
  if (schema.$ref !== undefined) {
    checkReference(schema, place);
    return;
  }
  checkValues(schema, pointer, say);
  const own = isJsonObject(schema.properties) ? new Set(Object.keys(schema.properties)) : null;
  // A condition may speak of the members of the object that it is about, and of no others.
  const members = role === 'condition' ? place.members : own;
  if (role === 'description') checkDescription(schema, place);
  if (members !== null) checkMembers(schema, members, place);
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

function checkKeywords(schema: Schema, { pointer, level, say }: Place): void {
  const known = level === 0 ? { ...keywords, ...topKeywords } : keywords;
  const types = typesOf(schema);
  for (const [name, value] of Object.entries(schema)) {
    const at = pointerTo(pointer, name);
    const keyword = known[name];
    if (keyword === undefined) say(at, `is not taken here; ${suggestion(name, Object.keys(known))}`);
    else {
      const mistake = keyword.mistake(value);
      if (mistake !== null) say(at, `${mistake}; ${found(value)}`);
      else if (types.length > 0 && keyword.about !== undefined && !covers(types, keyword.about)) {
        say(at, `says nothing about a value of the type "${types.join('" or "')}". Leave it out`);
      }
    }
  }
}

function checkReference(schema: Schema, { pointer, definitions, say }: Place): void {
  const at = pointerTo(pointer, '$ref');
  const name = /^#\/\$defs\/([^/~%]+)$/.exec(String(schema.$ref))?.[1];
  const known = Object.keys(definitions);
  if (name === undefined) say(at, `must lead to "#/$defs/<name>" in this file; ${found(schema.$ref)}`);
  else if (!known.includes(name))
    say(at, `leads nowhere: there is no "${name}" in $defs; ${suggestion(name, known)}`);
  for (const other of Object.keys(schema)) {
    if (other === '$ref' || annotations[other] !== undefined || keywords[other] === undefined) continue;
    say(pointerTo(pointer, other), 'cannot stand beside "$ref". Write it into the definition');
  }
}

function checkDescription(schema: Schema, { pointer, say }: Place): void {
  const types = typesOf(schema);
  if (!saysType(schema) && schema.anyOf === undefined && schema.oneOf === undefined) {
    say(pointer, 'must say what it is: a "type", "enum", "const", "$ref", "anyOf" or "oneOf"');
  }
  const isBounded = ['maxLength', 'enum', 'const', 'format'].some((bound) => schema[bound] !== undefined);
  if (types.includes('string') && !isBounded && schema['x-unbounded'] !== true) {
    say(pointer, 'is a text of any length. Give it a "maxLength", or say "x-unbounded: true"');
  }
  if (types.includes('array') && schema.items === undefined && schema.prefixItems === undefined) {
    say(pointer, 'must say what is in the list: add "items", such as {type: integer}');
  }
  for (const [name, property] of Object.entries(isJsonObject(schema.properties) ? schema.properties : {})) {
    const at = pointerTo(`${pointer}/properties`, name);
    if (!nameForm.test(name))
      say(at, 'must have a name of 1 to 128 characters, none of them a control character');
    if (looksPersonal(name) && isJsonObject(property) && typeof property['x-personal'] !== 'boolean') {
      say(
        at,
        'looks like personal data. Leave it out, or say "x-personal: true"; "x-personal: false" if it is not about a person',
      );
    }
  }
}

function checkMembers(schema: Schema, members: ReadonlySet<string>, { pointer, say }: Place): void {
  const named = (keyword: string): [string, string][] => {
    const value = schema[keyword];
    if (Array.isArray(value))
      return value.map((name, index) => [String(name), `${pointer}/${keyword}/${index}`]);
    if (!isJsonObject(value)) return [];
    return Object.keys(value).map((name) => [name, pointerTo(`${pointer}/${keyword}`, name)]);
  };
  for (const [name, at] of [...named('required'), ...named('properties'), ...named('dependentRequired')]) {
    if (!members.has(name)) {
      say(
        at,
        `names "${name}", which the properties of the object do not have; ${suggestion(name, [...members])}`,
      );
    }
  }
}

function covers(types: readonly JsonType[], about: JsonType): boolean {
  return types.includes(about) || (about === 'number' && types.includes('integer'));
}
