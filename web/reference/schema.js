/** @import { OpenApi, Schema } from './openapi.ts' */
/** @typedef {{ name: string, schema: Schema, isRequired: boolean }} Member */

/** Members of members are listed down to this depth: a schema may contain itself. */
const deepest = 4;

/**
 * The members of a schema, inner ones with their path.
 * @type {(schema: Schema, api: OpenApi, prefix?: string, depth?: number) => Member[]}
 */
export function membersOf(schema, api, prefix = '', depth = 0) {
  if (depth > deepest) return [];
  const target = resolve(schema, api);
  if (target.type === 'array' && target.items) return membersOf(target.items, api, `${prefix}[]`, depth + 1);
  const own = Object.entries(target.properties ?? {}).flatMap(([member, property]) => {
    const name = prefix === '' ? member : `${prefix}.${member}`;
    const isRequired = target.required?.includes(member) ?? false;
    return [{ name, schema: property, isRequired }, ...membersOf(property, api, name, depth + 1)];
  });
  const parts = [target.allOf, target.oneOf, target.anyOf].flatMap((list) => list ?? []);
  return [...own, ...parts.flatMap((part) => membersOf(part, api, prefix, depth + 1))];
}

/** @type {(schema: Schema, api: OpenApi) => string} */
export function typeInWords(schema, api) {
  const target = resolve(schema, api);
  const choices = target.anyOf ?? target.oneOf;
  if (choices) return [...new Set(choices.map((choice) => typeInWords(choice, api)))].join(' or ');
  if (target.const !== undefined) return JSON.stringify(target.const);
  if (target.enum) return target.enum.map((choice) => JSON.stringify(choice)).join(', ');
  if (target.type === 'array' && target.items) return `list of ${typeInWords(target.items, api)}`;
  const types = [target.type ?? 'any'].flat().join(' or ');
  return target.format ? `${types} (${target.format})` : types;
}

/** @param {Schema} schema */
export function meaningOf(schema) {
  const standard = schema.default === undefined ? [] : [`by default ${schema.default}`];
  const limits = [...boundsInWords(schema), ...standard];
  const about = schema.description ?? schema.title ?? '';
  return limits.length === 0 ? about : `${about} (${limits.join(', ')})`.trim();
}

const ranges = [
  ['minimum', 'maximum', ''],
  ['minLength', 'maxLength', ' characters'],
  ['minItems', 'maxItems', ' items'],
  ['minProperties', 'maxProperties', ' members'],
];

/** The bounds of a value in words: "1 to 80 characters", "more than 0". @param {Schema} schema */
function boundsInWords(schema) {
  const counted = ranges.map(([min = '', max = '', unit]) => {
    if (schema[min] === undefined) return schema[max] === undefined ? '' : `at most ${schema[max]}${unit}`;
    if (schema[max] === undefined) return `at least ${schema[min]}${unit}`;
    return `${schema[min]} to ${schema[max]}${unit}`;
  });
  const others = [
    schema.exclusiveMinimum === undefined ? '' : `more than ${schema.exclusiveMinimum}`,
    schema.exclusiveMaximum === undefined ? '' : `less than ${schema.exclusiveMaximum}`,
    schema.multipleOf === undefined ? '' : `a multiple of ${schema.multipleOf}`,
    schema.pattern === undefined ? '' : `matches ${schema.pattern}`,
    schema.uniqueItems === true ? 'no item twice' : '',
  ];
  return [...counted, ...others].filter((text) => text !== '');
}

/**
 * Follows a reference; members beside the reference override those of its target.
 * @template {{ readonly $ref?: string }} T
 * @param {T} value
 * @param {OpenApi} api
 * @returns {T}
 */
export function resolve(value, api) {
  const { $ref, ...beside } = value;
  if ($ref === undefined) return value;
  /** @type {any} */
  let target = api;
  // RFC 6901 section 6.
  for (const part of $ref.slice('#/'.length).split('/'))
    target = target?.[decodeURIComponent(part).replaceAll('~1', '/').replaceAll('~0', '~')];
  return resolve({ ...target, ...beside }, api);
}
