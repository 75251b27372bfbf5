import { durationForm } from '../../base/duration.ts';
import { mapping, refuse, where } from '../../base/json-schema.ts';
import { isScopeName, longestScopeName } from '../../base/scopes.ts';
import { createFormCheck, type Formats } from '../../base/yaml/check-form.ts';
import { recordEvents } from '../../events/catalogue.ts';
import { longestDescription, longestTitle, type Schema } from './collection.ts';
import { parseDay } from './deprecation.ts';
import { mostIndexedFields } from './indexed-fields.ts';
import { bytesRange, defaultLimits, perUserRange } from './limits.ts';
import { newcomerRateForm, parseNewcomerRate, parsePeriod, parseRate, rateForm, rateText } from './rates.ts';
import { dialect, schemaDefinitions, topSchema } from './schema-grammar.ts';

/**
 * What may stand in the file of a collection, as JSON Schema: for the loader, which checks files with it, and for
 * editors. A new member is declared here and in declaration-file.ts; rules between members are in declaration-rules.ts.
 */

export const mostStates = 32;

const fits = (isRight: (text: string) => boolean, expected: string) => (text: string) =>
  isRight(text) ? null : `must be ${expected}`;

/** What a schema cannot say of a text. Editors ignore formats that they do not know. */
const formats: Formats = {
  scope: fits(isScopeName, 'a scope without spaces and quotes, such as bookings.write'),
  rate: fits((text) => parseRate(text) !== null, 'a rate such as 30/min (s, min, h or d)'),
  'rate-for-a-time': fits(
    (text) => parseNewcomerRate(text) !== null,
    'a rate for a time, such as 5/day for 7d',
  ),
  period: fits(
    (text) => parsePeriod(text) !== null,
    'a duration such as 90d (s, min, h or d, at most 3650d)',
  ),
  day: fits((text) => !Number.isNaN(parseDay(text)), 'a date such as 2026-01-01'),
  'http-url': fits(
    (text) => /^https?:\/\/[\x21\x23-\x3b\x3d\x3f-\x7e]+$/.test(text) && URL.canParse(text),
    'an http or https URL',
  ),
};

function choice(description: string, choices: readonly string[]): Schema {
  return { description, enum: choices, default: choices[0] };
}

function text(description: string, longest: number): Schema {
  const errorMessage = `must be a text of 1 to ${longest} characters`;
  return { description, type: 'string', maxLength: longest, pattern: '\\S', errorMessage };
}

/** The pattern is for editors: each format is stricter. */
function formatted(description: string, format: string, pattern: string, more: Schema): Schema {
  const errorMessage = formats[format]?.('') ?? '';
  return { description, type: 'string', format, pattern: `^${pattern}$`, errorMessage, ...more };
}

function count(
  description: string,
  { least, most }: typeof perUserRange | typeof bytesRange,
  standard: number,
) {
  return { description, type: 'integer', minimum: least, maximum: most, default: standard };
}

function listOf(description: string, items: Schema, more: Schema = {}): Schema {
  return { description, type: 'array', uniqueItems: true, items, ...more };
}

const scope = (description: string) =>
  formatted(description, 'scope', '[^\\s"\\\\]+', { maxLength: longestScopeName });
const day = (description: string) =>
  formatted(description, 'day', '\\d{4}-\\d\\d-\\d\\d([Tt].*)?', { examples: ['2026-01-01'] });

const name = {
  type: 'string',
  pattern: '^[a-z][a-z0-9_-]{0,31}$',
  errorMessage: 'must have a name of 1 to 32 small letters, digits, "_" and "-" that begins with a letter',
};
const target = { ...name, errorMessage: 'must name the state that the action leads to' };

const states = {
  description: 'What a record goes through. The first state is the initial one.',
  type: 'object',
  minProperties: 1,
  maxProperties: mostStates,
  errorMessage: `must be a mapping of 1 to ${mostStates} states, the first of them the initial one`,
  propertyNames: name,
  additionalProperties: {
    description: 'The actions of this state. Without any it is final.',
    type: ['object', 'null'],
    errorMessage: 'must be a mapping of actions to states, {} for a final one',
    propertyNames: name,
    additionalProperties: {
      description: 'The state that the action leads to, or that and whose action it is.',
      ...where(
        { type: 'object' },
        mapping(
          'An action.',
          {
            to: { description: 'The state that it leads to.', ...target },
            by: choice('Whose it is.', ['owner', 'client', 'any']),
          },
          { required: ['to'] },
        ),
        target,
      ),
    },
  },
};

const events = {
  description: 'How much the log of events tells of the records.',
  default: 'thin',
  ...where(
    { type: 'object' },
    mapping('How much, and which.', {
      data: choice('How much.', ['thin', 'full']),
      only: listOf(
        `Which are told: ${recordEvents.join(', ')}, and the states that actions lead to.`,
        { type: 'string' },
        { minItems: 1 },
      ),
    }),
    { enum: ['thin', 'full', 'none'] },
  ),
};

const limits = mapping(
  'How much a caller may have and do.',
  {
    per_user: count('Records of one caller.', perUserRange, defaultLimits.perUser),
    bytes: count("The JSON of a record's fields.", bytesRange, defaultLimits.bytes),
    writes: formatted('Creating, changing, deleting and moving records.', 'rate', rateForm, {
      examples: ['60/min', '30/min'],
      default: rateText(defaultLimits.writes),
    }),
    newcomer: formatted('The same for callers who are new here.', 'rate-for-a-time', newcomerRateForm, {
      examples: ['5/day for 7d'],
    }),
    expire: formatted('A record is deleted so long after its last change.', 'period', durationForm, {
      examples: ['90d'],
    }),
  },
  { default: {} },
);

const access = mapping(
  'Who reaches what.',
  {
    read: choice('Who reads a record: its owner, or every signed-in caller.', ['owner', 'everyone']),
    clients: choice("What machine clients reach: nothing, their own, or everybody's.", [
      'none',
      'own',
      'any',
    ]),
    scopes: mapping(
      'What the token has to grant.',
      { read: scope('To read.'), write: scope('To write.') },
      { default: {} },
    ),
  },
  { default: {} },
);

const deprecated = mapping(
  'The collection is on its way out: every answer says so.',
  {
    since: day('Since when.'),
    sunset: day('When it will be gone.'),
    link: formatted('What to do about it.', 'http-url', 'https?://.*', {}),
  },
  { required: ['since'] },
);

function declarationWith(schema: Schema): Schema {
  return {
    type: 'object',
    required: ['schema'],
    additionalProperties: false,
    properties: {
      schema: {
        description: 'JSON Schema 2020-12 of the fields. Objects are closed unless they say otherwise.',
        errorMessage:
          'must be a mapping with "properties", for example schema: {properties: {text: {type: string, maxLength: 280}}}',
        ...schema,
      },
      title: text('By default the name of the file.', longestTitle),
      description: text('One or two sentences for the reference page.', longestDescription),
      index: listOf(
        'The fields to filter and sort by, besides created_at. They are required, and texts of bounded length, numbers or flags.',
        { type: 'string' },
        { maxItems: mostIndexedFields, default: [] },
      ),
      states,
      editable: listOf('The states in which the fields can be changed. By default all.', { type: 'string' }),
      access,
      concurrency: choice('Whether a change must say which version it changes.', ['optional', 'required']),
      limits,
      events,
      deprecated,
    },
    allOf: [
      where(
        { not: { required: ['states'] } },
        {
          properties: {
            editable: refuse('lists states, and there are none. Declare "states", or leave it out'),
          },
        },
      ),
    ],
  };
}

/** For editors. */
export const declarationSchema: Schema = {
  $schema: dialect,
  title: 'A collection of Vestibule',
  description: 'Made by "npx vestibule schema". docs/collections.md says what each member means.',
  ...declarationWith(topSchema),
  $defs: schemaDefinitions,
};

/** Checks everything but the inside of the member `schema`, and fills in defaults. */
export const checkDeclaration = createFormCheck(declarationWith({ type: 'object' }), formats);
