import { durationForm } from '../../base/duration.ts';
import { longestScopeName } from '../../base/scopes.ts';
import { recordEvents } from '../../events/catalogue.ts';
import { longestDescription, longestTitle, type Schema } from './collection.ts';
import { mostIndexedFields } from './indexed-fields.ts';
import { bytesRange, defaultLimits, perUserRange } from './limits.ts';
import { newcomerRateForm, rateForm } from './rates.ts';
import { dialect } from './schema-keywords.ts';
import { schemaDefinitions, topSchema } from './schema-of-schemas.ts';
import { mostStates, nameForm } from './states.ts';

/**
 * What may stand in the file of a collection, as JSON Schema, for editors. All that the loader takes fits it; not all
 * that fits is taken, because a schema cannot look from one place to another.
 */

const stateName = { type: 'string', pattern: nameForm.source };

function said(description: string, form: Schema): Schema {
  return { description, ...form };
}

function oneOf(description: string, choices: readonly string[], more: Schema = {}): Schema {
  return said(description, { enum: choices, default: choices[0], ...more });
}

function text(description: string, longest: number): Schema {
  return said(description, { type: 'string', maxLength: longest, pattern: '\\S' });
}

function pattern(description: string, form: string, examples: readonly string[]): Schema {
  return said(description, { type: 'string', pattern: `^${form}$`, examples });
}

function mapping(description: string, properties: Schema, more: Schema = {}): Schema {
  return said(description, { type: 'object', properties, additionalProperties: false, ...more });
}

function listOf(description: string, items: Schema, more: Schema = {}): Schema {
  return said(description, { type: 'array', uniqueItems: true, items, ...more });
}

const count = (description: string, range: typeof perUserRange | typeof bytesRange, standard: number) =>
  said(description, {
    type: ['integer', 'null'],
    minimum: range.least,
    maximum: range.most,
    default: standard,
  });

const scope = (description: string) =>
  said(description, { type: 'string', pattern: '^[^\\s"\\\\]+$', maxLength: longestScopeName });

const day = (description: string) => pattern(description, '\\d{4}-\\d\\d-\\d\\d([Tt].*)?', ['2026-01-01']);

const transition: Schema = {
  description: 'The state that the action leads to, or that and whose action it is.',
  anyOf: [
    stateName,
    mapping(
      'An action.',
      {
        to: said('The state that it leads to.', stateName),
        by: oneOf('Whose it is.', ['owner', 'client', 'any']),
      },
      { required: ['to'] },
    ),
  ],
};

const states = said('What a record goes through. The first state is the initial one.', {
  type: 'object',
  minProperties: 1,
  maxProperties: mostStates,
  propertyNames: stateName,
  additionalProperties: {
    description: 'The actions of this state. Without any it is final.',
    type: ['object', 'null'],
    propertyNames: stateName,
    additionalProperties: transition,
  },
});

const onlyEvents = listOf(
  `Which are told: ${recordEvents.join(', ')}, and the states that actions lead to.`,
  stateName,
  { minItems: 1 },
);

const events = said('How much the log of events tells of the records.', {
  anyOf: [
    { enum: ['thin', 'full', 'none'], default: 'thin' },
    mapping('How much, and which.', { data: oneOf('How much.', ['thin', 'full']), only: onlyEvents }),
  ],
});

const limits = mapping('How much a caller may have and do.', {
  per_user: count('Records of one caller.', perUserRange, defaultLimits.perUser),
  bytes: count("The JSON of a record's fields.", bytesRange, defaultLimits.bytes),
  writes: pattern('Creating, changing, deleting and moving records.', rateForm, ['60/min', '30/min']),
  newcomer: pattern('The same for who is new here.', newcomerRateForm, ['5/day for 7d']),
  expire: pattern('A record is deleted so long after its last change.', durationForm, ['90d']),
});

const access = mapping('Who reaches what.', {
  read: oneOf('Who reads a record: its owner, or every signed-in caller.', ['owner', 'everyone']),
  clients: oneOf("What machine clients reach: nothing, their own, or everybody's.", ['none', 'own', 'any']),
  scopes: mapping('What the token has to grant.', { read: scope('To read.'), write: scope('To write.') }),
});

const deprecated = mapping(
  'The collection is on its way out: every answer says so.',
  {
    since: day('Since when.'),
    sunset: day('When it will be gone.'),
    link: said('What to do about it.', { type: ['string', 'null'], pattern: '^https?://' }),
  },
  { required: ['since'] },
);

export const declarationSchema: Schema = {
  $schema: dialect,
  title: 'A collection of Vestibule',
  description: 'Made by "npx vestibule schema". docs/collections.md says what each member means.',
  type: 'object',
  required: ['schema'],
  additionalProperties: false,
  properties: {
    schema: said(
      'JSON Schema 2020-12 of the fields. Objects are closed unless they say otherwise.',
      topSchema,
    ),
    title: text('By default the name of the file.', longestTitle),
    description: text('One or two sentences for the reference page.', longestDescription),
    index: listOf(
      'The fields to filter and sort by, besides created_at. They are required, and texts of bounded length, numbers or flags.',
      { type: 'string' },
      { maxItems: mostIndexedFields },
    ),
    states,
    editable: listOf('The states in which the fields can be changed. By default all.', stateName),
    access,
    concurrency: oneOf('Whether a change must say which version it changes.', ['optional', 'required']),
    limits,
    events,
    deprecated,
  },
  // Where there are no states, none can be edited.
  // biome-ignore lint/suspicious/noThenProperty: this is how JSON Schema spells it
  allOf: [{ if: { required: ['editable'] }, then: { required: ['states'] } }],
  $defs: schemaDefinitions,
};
