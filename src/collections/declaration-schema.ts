import { durationForm } from '../base/duration.ts';
import { mapping, refuse, where } from '../base/json-schema.ts';
import { isScopeName } from '../base/scopes.ts';
import { createFormCheck } from '../base/yaml/check-form.ts';
import { recordEvents } from '../events/catalogue.ts';
import { longestDescription, longestTitle, type Schema } from './collection.ts';
import { mostIndexedFields } from './indexed-fields.ts';
import {
  bytesRange,
  defaultLimits,
  defaultRoleLimits,
  newcomerRateForm,
  parseNewcomerRate,
  parsePeriod,
  parseRate,
  peopleRange,
  perUserRange,
  rateForm,
  rateText,
} from './limits.ts';
import { parseDay } from './normalise.ts';
import { dialect, schemaDefinitions, topSchema } from './schema-grammar.ts';
import { mostSearchedFields } from './searched-fields.ts';

/** The JSON Schema of a collection file, for the loader and for editors. declaration-rules.ts has the rules between members. */

export const mostStates = 32;
export const mostRoles = 8;

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

const said = (description: string, form: Schema): Schema => ({ description, ...form });

function formatted(format: string): Schema {
  const [, expected, pattern] = kinds[format] as Kind;
  return { type: 'string', format, pattern: `^${pattern}$`, errorMessage: `must be ${expected}` };
}

function choice(...choices: readonly string[]): Schema {
  return { enum: choices, default: choices[0] };
}

function text(longest: number): Schema {
  const errorMessage = `must be a text of 1 to ${longest} characters`;
  return { type: 'string', maxLength: longest, pattern: '\\S', errorMessage };
}

const names = { type: 'array', uniqueItems: true, items: { type: 'string' } };
const name = {
  type: 'string',
  pattern: '^[a-z][a-z0-9_-]{0,31}$',
  errorMessage: 'must have a name of 1 to 32 small letters, digits, "_" and "-" that begins with a letter',
};
const target = { ...name, errorMessage: 'must name the state that the action leads to' };

const role = {
  type: 'string',
  pattern: name.pattern,
  errorMessage: 'must be the name of a role, such as owner, everyone, client or one of "roles"',
};
const roleList = where(
  { type: 'array' },
  { minItems: 1, maxItems: mostRoles + 3, uniqueItems: true, items: role },
  role,
);
const inStates = where(
  { type: 'array' },
  { minItems: 1, uniqueItems: true, items: { type: 'string' } },
  { enum: ['all'], errorMessage: 'must be "all" or a list of states' },
);
const roleStates = where(
  { type: 'object' },
  { minProperties: 1, maxProperties: mostRoles + 3, propertyNames: role, additionalProperties: inStates },
  roleList,
);
const fieldName = { type: 'string', minLength: 1, maxLength: 129 };

const action = where(
  { type: 'object' },
  mapping(
    {
      to: said('The state that it leads to.', target),
      by: {
        ...said('Who may take it: a role, a list of roles, or "any" for owner and client.', roleList),
        default: 'owner',
      },
      sets: said('The fields that only the input of this action sets. "remark?" is optional.', {
        type: 'array',
        minItems: 1,
        maxItems: 16,
        uniqueItems: true,
        items: fieldName,
      }),
      clears: said('The fields that it removes.', {
        type: 'array',
        maxItems: 16,
        uniqueItems: true,
        items: fieldName,
      }),
      grants: said('The role that it gives to the caller.', role),
      chosen_from: said(
        'The caller chooses who gets the role, among those with this role. The input names an alias: { "member": "per_..." }.',
        role,
      ),
      revokes: said('The roles that it takes from all members who have them.', roleList),
      while_parent_accepts: said('Whether the action is possible only while "parent.accepts" holds.', {
        type: 'boolean',
      }),
    },
    ['to'],
  ),
  target,
);

const roles = {
  type: 'object',
  minProperties: 1,
  maxProperties: mostRoles,
  errorMessage: `must be a mapping of 1 to ${mostRoles} roles`,
  propertyNames: name,
  additionalProperties: {
    description:
      'How callers get the role: by invitation, with a scope of their token, by a role in the parent record, or by an action ({}).',
    ...where(
      { type: 'null' },
      {},
      {
        ...mapping({
          invited_by: said('Who may invite others to it.', roleList),
          max: said(`Members with this role in one record (${defaultRoleLimits.max}).`, {
            type: 'integer',
            ...peopleRange,
          }),
          max_per_user: said(
            `Records in which one person may have it, if an action grants it (${defaultRoleLimits.maxPerUser}).`,
            { type: 'integer', ...peopleRange },
          ),
          scope: said(
            'Callers whose token has this scope have the role in every record.',
            formatted('scope'),
          ),
          parent_roles: said('Callers with one of these roles in the parent record have the role.', roleList),
          previous_owner: said(
            'Only for owner: the role of the former owner after the record was handed over.',
            role,
          ),
        }),
      },
    ),
  },
};

const stateNames = { type: 'array', minItems: 1, uniqueItems: true, items: { type: 'string' } };

const parent = mapping(
  {
    field: said('The name of the field with the id of the parent. The service adds it to the schema.', {
      type: 'string',
      pattern: '^[A-Za-z][A-Za-z0-9_]{0,62}$',
      errorMessage: 'must be a name of 1 to 63 letters, digits and "_" that begins with a letter',
    }),
    collection: said('The collection of the parents.', { type: 'string' }),
    accepts: said(
      'When records can be created under a parent. By default always.',
      mapping({
        states: said('While the parent is in one of these states.', stateNames),
        before: said('Before the time in this field of the parent.', { type: 'string' }),
      }),
    ),
    owned_by: said(
      'The owner of a new record: its creator, or the owner of the parent.',
      choice('creator', 'parent'),
    ),
    on_delete: said(
      'A parent with records under it cannot be deleted (restrict), is deleted with them (cascade), or without them (keep).',
      choice('restrict', 'cascade', 'keep'),
    ),
    max: said('Records under one parent. By default there is no limit.', {
      type: 'integer',
      minimum: 1,
      maximum: 1_000_000,
    }),
    capacity: said(
      'How many records under one parent can be in some states.',
      mapping(
        {
          states: said('The states in which a record takes a place.', stateNames),
          field: said('The field of the parent that says how many places there are.', { type: 'string' }),
          number: said('How many places there are.', { type: 'integer', minimum: 1, maximum: 1_000_000 }),
          overflow: said('The state of a new record if no place is free. Without it: 409 no_capacity.', {
            type: 'string',
          }),
        },
        ['states'],
      ),
    ),
    counts: {
      ...said(
        'A parent shows how many records under it are in these states; true: all.',
        where({ type: 'array' }, stateNames, {
          type: 'boolean',
          errorMessage: 'must be true, false or a list of states',
        }),
      ),
      default: false,
    },
  },
  ['field', 'collection'],
);

const unique = {
  type: 'array',
  maxItems: 4,
  errorMessage: 'must be a list of at most 4 rules, such as [{ fields: [owner, parent] }]',
  items: mapping(
    {
      fields: said(
        'No two records have the same values of these: owner, parent, or names of required fields.',
        {
          type: 'array',
          minItems: 1,
          maxItems: 4,
          uniqueItems: true,
          items: { type: 'string' },
        },
      ),
      states: said('Only records in these states count. By default all.', stateNames),
      reveals: {
        ...said('Whether a refusal may tell callers that a record exists which they cannot read.', {
          type: 'boolean',
        }),
        default: false,
      },
    },
    ['fields'],
  ),
};

const states = {
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
    additionalProperties: said(
      'The state that the action leads to, or a mapping with the state, the roles and the effects.',
      action,
    ),
  },
};

const access = mapping({
  create: said('Who creates records: everyone (default), or roles with a scope or by the parent.', roleList),
  read: {
    ...said('Who reads a record: a role, a list of roles, or roles with states.', roleStates),
    default: 'owner',
  },
  update: said('Who changes the fields: owner (default).', roleStates),
  delete: said('Who deletes a record: owner (default), or "nobody".', roleStates),
  clients: said(
    'Which records machine clients reach: none, their own, or any.',
    choice('none', 'own', 'any'),
  ),
  scopes: said(
    'The scopes that the token needs.',
    mapping({ read: said('To read.', formatted('scope')), write: said('To write.', formatted('scope')) }),
  ),
});

const limits = mapping({
  per_user: {
    description: 'Records of one caller.',
    type: 'integer',
    ...perUserRange,
    default: defaultLimits.perUser,
  },
  bytes: {
    description: "The JSON of a record's fields.",
    type: 'integer',
    ...bytesRange,
    default: defaultLimits.bytes,
  },
  writes: {
    ...said('Creating, changing, deleting and moving records.', formatted('rate')),
    default: rateText(defaultLimits.writes),
  },
  newcomer: said('The same for new callers.', formatted('newcomer-rate')),
  memberships: {
    description: 'Records in which one person has a role by invitation.',
    type: 'integer',
    ...peopleRange,
    default: defaultLimits.memberships,
  },
  expire: said('A record is deleted this long after its last change.', formatted('period')),
});

const tellsOnly = `The events to write: ${recordEvents.join(', ')}, and the states that actions lead to.`;
const events = where(
  { type: 'object' },
  mapping({
    data: said('How much.', choice('thin', 'full')),
    only: said(tellsOnly, { ...names, minItems: 1, examples: [['created', 'deleted']] }),
  }),
  { enum: ['thin', 'full', 'none'] },
);

const deprecated = mapping(
  {
    since: said('Since when.', formatted('day')),
    sunset: said('When it will be removed.', formatted('day')),
    link: said('A page that says what to do.', formatted('http-url')),
  },
  ['since'],
);

function declarationWith(schema: Schema): Schema {
  const members = {
    schema: said('JSON Schema 2020-12 of the fields. Objects are closed unless they say otherwise.', {
      errorMessage:
        'must be a mapping with "properties", for example schema: {properties: {text: {type: string, maxLength: 280}}}',
      ...schema,
    }),
    title: said('By default the name of the file.', text(longestTitle)),
    description: said('One or two sentences for the reference page.', text(longestDescription)),
    index: said(
      'The fields to filter and sort by, besides created_at. They are required, and texts of bounded length, numbers or flags.',
      { ...names, maxItems: mostIndexedFields, default: [], examples: [['slot']] },
    ),
    states: said('The states of a record. The first one is the initial state.', states),
    editable: said('The states in which the fields can be changed. By default all.', names),
    roles: said('The roles of callers in a record, besides owner, everyone and client.', roles),
    parent: said('The collection of the parents. At most three levels.', parent),
    access: said('Who reaches what.', access),
    unique: { ...said('The values that no two records may share.', unique), default: [] },
    aliases: { ...said('Whether records name people by alias.', { type: 'boolean' }), default: false },
    search: said('The fields that lists are searched in (?q=): texts, and lists of texts.', {
      ...names,
      maxItems: mostSearchedFields,
      default: [],
      examples: [['title', 'text']],
    }),
    history: {
      ...said('Whether readers of a record see its history: what happened, when, and in which role.', {
        type: 'boolean',
      }),
      default: false,
    },
    concurrency: said('Whether a change must say which version it changes.', choice('optional', 'required')),
    limits: said('The limits of one caller.', limits),
    events: { ...said('How much events contain of a record.', events), default: 'thin' },
    deprecated: said('The collection is deprecated: every answer says so.', deprecated),
  };
  const editable = refuse('lists states, but the collection has none. Declare "states", or leave it out');
  return {
    ...mapping(members, ['schema']),
    ...where({ not: { required: ['states'] } }, { properties: { editable } }),
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
export const checkDeclaration = createFormCheck(
  declarationWith({ type: 'object' }),
  Object.fromEntries(
    Object.entries(kinds).map(([name, [fits, expected]]) => [
      name,
      (text: string) => (fits(text) ? null : `must be ${expected}`),
    ]),
  ),
);
