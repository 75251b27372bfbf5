import assert from 'node:assert/strict';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { declarationSchema } from '../../src/consumer/collections/declaration-schema.ts';

const ajv = new Ajv2020({ strict: true, strictTypes: false, strictRequired: false });
const check = ajv.compile(declarationSchema);

/** What the schema for editors says is wrong with the data of a declaration; null when nothing is. */
export function schemaMistake(data: unknown): string | null {
  return check(data) ? null : ajv.errorsText(check.errors);
}

const plain = 'schema: { properties: { a: { type: integer } } }';
const property = (text: string) => `schema: { properties: { a: ${text} } }`;

/** What only the loader can know, with a declaration that fits the schema and has this mistake. */
export const beyondSchema: Readonly<Record<string, { readonly says: RegExp; readonly example: string }>> = {
  'whether a name looks personal': {
    says: /looks like personal data/,
    example: 'schema: { properties: { email: { type: integer } } }',
  },
  'whether members are declared': {
    says: /names ".*", which the properties of the object do not have/,
    example: `${property('{ type: integer }').slice(0, -1)}, required: [b] }`,
  },
  'where a reference leads': { says: /leads nowhere/, example: property('{ $ref: "#/$defs/b" }') },
  'whether definitions go round': {
    says: /leads back to itself/,
    example: 'schema: { $defs: { b: { $ref: "#/$defs/b" } }, properties: { a: { $ref: "#/$defs/b" } } }',
  },
  'how deep or large a schema is': {
    says: /deeper than 16 levels|more than (2000 parts|32 alternatives)/,
    example: property(`${'{ properties: { a: '.repeat(16)}{ type: integer }${' } }'.repeat(16)}`),
  },
  'what a pattern costs, and whether it is one': {
    says: /pattern (must (do without|be a regular)|costs too much)/,
    example: property('{ type: string, maxLength: 9, pattern: "^(?=a)" }'),
  },
  'which of two bounds is higher': {
    says: /must not be above/,
    example: property('{ type: integer, minimum: 8, maximum: 4 }'),
  },
  'whether a value is of the type beside it': {
    says: /has a value that is not of the type/,
    example: property('{ type: string, const: 5 }'),
  },
  'what Ajv takes for a mistake in its strict mode': {
    says: /not one that can be checked strictly/,
    example: property('{ type: integer, then: { maximum: 5 } }'),
  },
  'whether a field can be indexed': {
    says: /^index\.\d+ (must (be|have)|has a name|is kept)/,
    example: `${plain}\nindex: [a]`,
  },
  'whether a state is declared': {
    says: /must be (a declared state|one of the states)/,
    example: `${plain}\nstates: { open: { close: closed } }`,
  },
  'who can take an action': {
    says: /is for clients, and there are none here/,
    example: `${plain}\nstates: { open: { close: { to: open, by: client } } }`,
  },
  'which events there are': {
    says: /^events\.only\.\d+ must be one of|has the name of an event/,
    example: `${plain}\nevents: { only: [approved] }`,
  },
  'which of two days is later': {
    says: /must not come before/,
    example: `${plain}\ndeprecated: { since: 2026-01-02, sunset: 2026-01-01 }`,
  },
  'whether a day is in the calendar': {
    says: /must be a date such as/,
    example: `${plain}\ndeprecated: { since: 2026-02-30 }`,
  },
  'whether an address is one': {
    says: /must be an http or https URL/,
    example: `${plain}\ndeprecated: { since: 2026-01-01, link: "https://a b" }`,
  },
  'whether a number in a text is too large, or nothing': {
    says: /^limits\.\w+ must be a (rate|duration)/,
    example: `${plain}\nlimits: { writes: 0/min }`,
  },
  'what characters a scope may have': {
    says: /must be a scope/,
    example: `${plain}\naccess: { scopes: { read: ä } }`,
  },
  'how the file is called': { says: /^The file (must have a name|has a name)/, example: plain },
};

/** What the loader takes fits the schema. */
export function assertFits(data: unknown): void {
  assert.equal(schemaMistake(data), null, `the loader takes it: ${JSON.stringify(data)}`);
}

/** What the loader refuses does not fit, or is listed above. */
export function assertExplained(data: unknown, mistakes: readonly string[]): void {
  if (schemaMistake(data) !== null) return;
  const known = Object.values(beyondSchema);
  for (const mistake of mistakes)
    assert.ok(
      known.some(({ says }) => says.test(mistake)),
      `the schema could know: ${mistake}`,
    );
}
