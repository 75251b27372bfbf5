import type { Schema } from '../../src/collections/collection.ts';

/** Every accepted value must still be accepted. */
export function requestChanges(what: string, was: Schema, now: Schema): readonly string[] {
  const had = new Set(listOf(was.required));
  const properties = propertiesOf(now);
  const members = Object.entries(propertiesOf(was)).flatMap(([name, property]) => {
    const present = properties[name];
    if (present === undefined) return isClosed(now) ? [`${what}/${name} is not taken any more`] : [];
    return requestChanges(`${what}/${name}`, property, present);
  });
  const demanded = listOf(now.required).filter((name) => !had.has(name));
  return [
    ...demanded.map((name) => `${what}/${name} is required`),
    ...(isClosed(now) && !isClosed(was) ? [`${what} takes no further members any more`] : []),
    ...typesOf(was).flatMap((type) => (takes(now, type) ? [] : [`${what} takes no ${type} any more`])),
    ...choiceChanges(was, now).map((choice) => `${what} does not take ${choice} any more`),
    ...boundChanges(was, now).map((bound) => `${what} ${bound}`),
    ...members,
    ...partChanges(was, now, (one, other, index) => requestChanges(`${what}/${index}`, one, other)),
  ];
}

/** Every required member of an answer must still be there, with the same type. */
export function answerChanges(what: string, was: Schema, now: Schema): readonly string[] {
  const has = new Set(listOf(now.required));
  const properties = propertiesOf(now);
  const members = Object.entries(propertiesOf(was)).flatMap(([name, property]) => {
    const present = properties[name];
    return present === undefined
      ? [`${what}/${name} is gone`]
      : answerChanges(`${what}/${name}`, property, present);
  });
  const lost = listOf(was.required).filter((name) => !has.has(name) && properties[name] !== undefined);
  const isNewType = was.type !== undefined && typesOf(now).some((type) => !takes(was, type));
  return [
    ...lost.map((name) => `${what}/${name} may be missing`),
    ...(isNewType || (was.type !== undefined && now.type === undefined)
      ? [`${what} is of another type`]
      : []),
    ...(was.format !== undefined && was.format !== now.format ? [`${what} is of another format`] : []),
    ...members,
    ...partChanges(was, now, (one, other, index) => answerChanges(`${what}/${index}`, one, other)),
  ];
}

type Compare = (one: Schema, other: Schema, index: string) => readonly string[];

/** The items of a list, and alternatives one by one: they are not reordered without need. */
function partChanges(was: Schema, now: Schema, compare: Compare): readonly string[] {
  const items = isSchema(was.items) && isSchema(now.items) ? compare(was.items, now.items, '[]') : [];
  const alternatives = ['allOf', 'oneOf', 'anyOf'].flatMap((keyword) => {
    const current = listOf<Schema>(now[keyword]);
    return listOf<Schema>(was[keyword]).flatMap((part, index) => {
      const present = current[index];
      return present === undefined
        ? [`${keyword} ${index} is gone`]
        : compare(part, present, `${keyword} ${index}`);
    });
  });
  return [...items, ...alternatives];
}

function choiceChanges(was: Schema, now: Schema): readonly string[] {
  const choices = now.const === undefined ? now.enum : [now.const];
  if (choices === undefined) return [];
  const had = was.const === undefined ? was.enum : [was.const];
  if (had === undefined) return ['anything but a few values'];
  const kept = new Set(listOf(choices).map((choice) => JSON.stringify(choice)));
  return listOf(had)
    .map((choice) => JSON.stringify(choice))
    .filter((choice) => !kept.has(choice));
}

const upper = ['maximum', 'exclusiveMaximum', 'maxLength', 'maxItems'];
const lower = ['minimum', 'exclusiveMinimum', 'minLength', 'minItems'];

function boundChanges(was: Schema, now: Schema): readonly string[] {
  const narrower = (keyword: string, isNarrower: (one: number, other: number) => boolean) => {
    const current = now[keyword];
    if (typeof current !== 'number') return [];
    const old = was[keyword];
    return typeof old !== 'number' || isNarrower(current, old) ? [`has ${keyword} ${current}`] : [];
  };
  return [
    ...upper.flatMap((keyword) => narrower(keyword, (current, old) => current < old)),
    ...lower.flatMap((keyword) => narrower(keyword, (current, old) => current > old)),
    ...['pattern', 'format', 'multipleOf'].flatMap((keyword) =>
      now[keyword] === undefined || now[keyword] === was[keyword] ? [] : [`has another ${keyword}`],
    ),
  ];
}

function typesOf({ type }: Schema): readonly string[] {
  return type === undefined ? [] : ([type].flat() as string[]);
}

function takes(schema: Schema, type: string): boolean {
  const types = typesOf(schema);
  return types.length === 0 || types.includes(type) || (type === 'integer' && types.includes('number'));
}

function propertiesOf({ properties }: Schema): Readonly<Record<string, Schema>> {
  return (properties ?? {}) as Readonly<Record<string, Schema>>;
}

function isClosed({ additionalProperties }: Schema): boolean {
  return additionalProperties === false;
}

function listOf<T = string>(value: unknown): readonly T[] {
  return Array.isArray(value) ? value : [];
}

function isSchema(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
