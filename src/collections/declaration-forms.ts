import { durationForm } from '../base/duration.ts';
import { type Form, list, text, type ValueOf, where } from '../base/json-schema.ts';
import { isScopeName } from '../base/scopes.ts';
import { texts } from '../openapi/schemas.ts';
import { newcomerRateForm, parseNewcomerRate, parsePeriod, parseRate, rateForm } from './limits.ts';
import { parseDay } from './normalise.ts';
import { shownAs } from './shown-form.ts';

/** The forms of single values in a declaration: names, roles, states, rates. */

export const maxRoles = 8;

type Kind = readonly [fits: (text: string) => boolean, expected: string, pattern: string];

/** Formats of our own. Editors do not know them and use the pattern. */
const kinds: Readonly<Record<string, Kind>> = {
  scope: [isScopeName, 'a scope without spaces and quotes, such as bookings.write', '[^\\s"\\\\]+'],
  rate: [(text) => parseRate(text) !== null, 'a rate such as 30/min (s, min, h or d)', rateForm],
  'newcomer-rate': [
    (text) => parseNewcomerRate(text) !== null,
    'a rate for a time, such as 5/day for 7d',
    newcomerRateForm,
  ],
  period: [
    (text) => parsePeriod(text) !== null,
    'a duration such as 90d (s, min, h or d, at most 3650d)',
    durationForm,
  ],
  day: [
    (text) => !Number.isNaN(parseDay(text)),
    'a date such as 2026-01-01',
    '\\d{4}-\\d\\d-\\d\\d([Tt].*)?',
  ],
  'http-url': [
    (text) => /^https?:\/\/[\x21\x23-\x3b\x3d\x3f-\x7e]+$/.test(text) && URL.canParse(text),
    'an http or https URL',
    'https?://.*',
  ],
};

export const formats = Object.fromEntries(
  Object.entries(kinds).map(([name, [fits, expected]]) => [
    name,
    (value: string) => (fits(value) ? null : `must be ${expected}`),
  ]),
);

export function formatted(format: string): Form<string> {
  const [, expected, pattern] = kinds[format] as Kind;
  return { ...text, format, pattern: `^${pattern}$`, errorMessage: `must be ${expected}` };
}

export function shortText(longest: number): Form<string> {
  const errorMessage = `must be a text of 1 to ${longest} characters`;
  return { ...text, maxLength: longest, pattern: '\\S', errorMessage };
}

export function whole(bounds: { readonly minimum: number; readonly maximum: number }): Form<number> {
  return { type: 'integer', ...bounds };
}

export const names = list(text, { uniqueItems: true });
export const stateNames = list(text, { minItems: 1, uniqueItems: true });
export const name: Form<string> = {
  ...text,
  pattern: '^[a-z][a-z0-9_-]{0,31}$',
  errorMessage: 'must have a name of 1 to 32 small letters, digits, "_" and "-" that begins with a letter',
};
export const target: Form<string> = { ...name, errorMessage: 'must name the state that the action leads to' };

export const role: Form<string> = {
  ...text,
  pattern: name.pattern,
  errorMessage: 'must be the name of a role, such as owner, everyone, client or one of "roles"',
};
const someRoles: Form<readonly string[]> = {
  minItems: 1,
  maxItems: maxRoles + 3,
  uniqueItems: true,
  items: role,
};
export const roleList = where({ type: 'array' }, someRoles, role);
/** A role, or a list of roles. */
export type Who = ValueOf<typeof roleList>;

const someStates: Form<readonly string[]> = { minItems: 1, uniqueItems: true, items: text };
const allStates: Form<'all'> = { enum: ['all'], errorMessage: 'must be "all" or a list of states' };
const statesByRole: Form<Readonly<Record<string, 'all' | readonly string[]>>> = {
  minProperties: 1,
  maxProperties: maxRoles + 3,
  propertyNames: role,
  additionalProperties: shownAs(
    { anyOf: [{ const: 'all' }, texts] },
    where({ type: 'array' }, someStates, allStates),
  ),
};
export const roleStates = where({ type: 'object' }, statesByRole, roleList);
