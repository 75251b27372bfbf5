export type JsonSchema = Readonly<Record<string, unknown>>;

declare const value: unique symbol;
/** A JSON Schema, with the type of the values that fit it. */
export type Form<Value> = JsonSchema & { readonly [value]?: Value };
/** The check fills the default in: an object always has a key with this form. */
export type Filled<Value> = Form<Value> & { readonly default: unknown };
export type ValueOf<Of> = Of extends { readonly [value]?: infer Value } ? Exclude<Value, undefined> : never;

type Forms = Readonly<Record<string, Form<unknown>>>;
type Always<Of extends Forms, Required> = {
  [Key in keyof Of]: Of[Key] extends Filled<unknown> ? Key : Key extends Required ? Key : never;
}[keyof Of];
type ObjectOf<Of extends Forms, Required> = {
  readonly [Key in Always<Of, Required>]: ValueOf<Of[Key]>;
} & { readonly [Key in Exclude<keyof Of, Always<Of, Required>>]?: ValueOf<Of[Key]> };

export const flag: Form<boolean> = { type: 'boolean' };
export const text: Form<string> & { readonly type: string } = { type: 'string' };

export function list<Item>(items: Form<Item>, bounds: JsonSchema = {}): Form<readonly Item[]> {
  return { type: 'array', ...bounds, items };
}

/** One of these texts, by default the first. */
export function choice<const Choice extends string>(...choices: readonly Choice[]): Filled<Choice> {
  return { enum: choices, default: choices[0] };
}

export function said<Of extends JsonSchema>(description: string, form: Of): Of;
export function said<Value>(description: string, form: Form<Value>, byDefault: NoInfer<Value>): Filled<Value>;
export function said(description: string, form: JsonSchema, byDefault?: unknown): JsonSchema {
  return { description, ...form, ...(byDefault === undefined ? {} : { default: byDefault }) };
}

/** `rule` holds for values that fit the condition, `otherwise` for the others. */
export function where<Rule, Other = Rule>(
  condition: JsonSchema,
  rule: Form<Rule>,
  otherwise?: Form<Other>,
): Form<Rule | Other> {
  // biome-ignore lint/suspicious/noThenProperty: this is how JSON Schema spells it
  return { if: condition, then: rule, ...(otherwise === undefined ? {} : { else: otherwise }) };
}

/** A schema that no value fits. */
export function refuse(errorMessage: string): JsonSchema {
  return { not: {}, errorMessage };
}

/** An object without other keys. If none is required, its default is empty. */
export function mapping<const Of extends Forms>(properties: Of): Filled<ObjectOf<Of, never>>;
export function mapping<const Of extends Forms, const Key extends keyof Of & string>(
  properties: Of,
  required: readonly Key[],
): Form<ObjectOf<Of, Key>>;
export function mapping(properties: Forms, required: readonly string[] = []): Form<unknown> {
  const presence = required.length > 0 ? { required } : { default: {} };
  return { type: 'object', properties, additionalProperties: false, ...presence };
}

const typeWords: Readonly<Record<string, string>> = {
  string: 'a text',
  integer: 'a whole number',
  number: 'a number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  null: 'null',
};

const longestWord = 200;

type Params = Readonly<Record<string, unknown>>;

/** The expected value, by the keyword that it does not fit. Does not repeat the value. */
export const errorWords: Readonly<Record<string, (params: Params) => string>> = {
  type: ({ type }) => `must be ${([type].flat() as string[]).map((one) => typeWords[one]).join(' or ')}`,
  enum: ({ allowedValues }) => {
    const values = (allowedValues as readonly unknown[]).map((value) => JSON.stringify(value)).join(', ');
    return `must be one of ${shortOr(values, 'the values of the schema')}`;
  },
  const: ({ allowedValue }) => `must be ${shortOr(JSON.stringify(allowedValue), 'the value of the schema')}`,
  minimum: ({ limit }) => `must be at least ${limit}`,
  maximum: ({ limit }) => `must be at most ${limit}`,
  exclusiveMinimum: ({ limit }) => `must be more than ${limit}`,
  exclusiveMaximum: ({ limit }) => `must be less than ${limit}`,
  multipleOf: ({ multipleOf }) => `must be a multiple of ${multipleOf}`,
  minLength: ({ limit }) => `must have at least ${counted(limit, 'character')}`,
  maxLength: ({ limit }) => `must have at most ${counted(limit, 'character')}`,
  pattern: ({ pattern }) => `must have the form ${shortOr(String(pattern), 'of the schema')}`,
  minItems: ({ limit }) => `must have at least ${counted(limit, 'item')}`,
  maxItems: ({ limit }) => `must have at most ${counted(limit, 'item')}`,
  uniqueItems: () => 'must not have an item twice',
  contains: ({ minContains, maxContains }) =>
    `must have at least ${counted(minContains, 'item')}${maxContains === undefined ? '' : ` and at most ${maxContains}`} of a certain form`,
  minProperties: ({ limit }) => `must have at least ${counted(limit, 'member')}`,
  maxProperties: ({ limit }) => `must have at most ${counted(limit, 'member')}`,
  propertyNames: () => 'has a member with a name that is not allowed',
  required: () => 'is required',
  dependentRequired: ({ property }) => `is required when "${property}" is there`,
  additionalProperties: () => 'is not a member of the schema',
  'false schema': () => 'is not allowed here',
  anyOf: () => 'must be one of the alternatives of the schema',
  oneOf: () => 'must be exactly one of the alternatives of the schema',
  not: () => 'is of a form that is not allowed',
};

function shortOr(text: string, otherwise: string): string {
  return text.length > longestWord ? otherwise : text;
}

function counted(number: unknown, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}
