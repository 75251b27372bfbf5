import {
  choice,
  type Form,
  flag,
  list,
  mapping,
  refuse,
  said,
  text,
  type ValueOf,
  where,
} from '../base/json-schema.ts';
import { createFormCheck } from '../base/yaml/check-form.ts';
import { recordEvents } from '../events/catalogue.ts';
import type { Schema } from '../openapi/openapi-types.ts';
import { dateTime, maybe, object, texts, uri } from '../openapi/schemas.ts';
import * as form from './declaration-forms.ts';
import { maxIndexedFields, maxSearchedFields } from './indexed-fields.ts';
import {
  bytesRange,
  defaultLimits,
  defaultRoleLimits,
  peopleRange,
  perUserRange,
  rateText,
} from './limits.ts';
import { dialect, schemaDefinitions, topSchema } from './schema-grammar.ts';
import { shownAs, shownForm } from './shown-form.ts';

/** The JSON Schema of a collection file, for the loader and for editors. DeclarationFile is its type; declaration-rules.ts has the rules between keys. */

const maxStates = 32;

const fields = list({ ...text, minLength: 1, maxLength: 129 }, { maxItems: 16, uniqueItems: true });

export const actionForm = mapping(
  {
    to: said('The state that it leads to.', form.target),
    by: said(
      'Who may take it: a role, a list of roles, or "any" for owner and client.',
      shownAs(
        { anyOf: [text, texts], description: 'A role, or several; "any" is owner and client.' },
        form.roleList,
      ),
      'owner',
    ),
    sets: said('The fields that only the input of this action sets. "remark?" is optional.', {
      type: 'array',
      minItems: 1,
      ...fields,
    }),
    clears: said('The fields that it removes.', fields),
    grants: said('The role that it gives to the caller.', form.role),
    chosen_from: said(
      'The caller chooses who gets the role, among those with this role. The input names an alias: { "member": "per_..." }.',
      form.role,
    ),
    revokes: said('The roles that it takes from all members who have them.', form.roleList),
    while_parent_accepts: said('Whether the action is possible only while "parent.accepts" holds.', flag),
  },
  ['to'],
);
export type DeclaredAction = ValueOf<typeof actionForm>;

const roleForm = mapping({
  invited_by: said('Who may invite others to it.', form.roleList),
  max: said(`Members with this role in one record (${defaultRoleLimits.max}).`, form.whole(peopleRange)),
  max_per_user: said(
    `Records in which one person may have it, if an action grants it (${defaultRoleLimits.maxPerUser}).`,
    form.whole(peopleRange),
  ),
  scope: said('Callers whose token has this scope have the role in every record.', form.formatted('scope')),
  parent_roles: said('Callers with one of these roles in the parent record have the role.', form.roleList),
  previous_owner: said(
    'Only for owner: the role of the former owner after the record was handed over.',
    form.role,
  ),
});
export type DeclaredRole = ValueOf<typeof roleForm>;

const roles: Form<Readonly<Record<string, DeclaredRole | null>>> = {
  type: 'object',
  minProperties: 1,
  maxProperties: form.maxRoles,
  errorMessage: `must be a mapping of 1 to ${form.maxRoles} roles`,
  propertyNames: form.name,
  additionalProperties: {
    description:
      'How callers get the role: by invitation, with a scope of their token, by a role in the parent record, or by an action ({}).',
    ...shownAs(shownForm(roleForm), where({ type: 'null' }, {}, roleForm)),
  },
};

export const acceptsForm = mapping({
  states: said('While the parent is in one of these states.', form.stateNames),
  before: said('Before the time in this field of the parent.', text),
});

export const capacityForm = mapping(
  {
    states: said('The states in which a record takes a place.', form.stateNames),
    field: said('The field of the parent that says how many places there are.', text),
    number: said('How many places there are.', form.whole({ minimum: 1, maximum: 1_000_000 })),
    overflow: said('The state of a new record if no place is free. Without it: 409 no_capacity.', text),
  },
  ['states'],
);

const counted = where({ type: 'array' }, form.stateNames, {
  ...flag,
  errorMessage: 'must be true, false or a list of states',
});

export const parentForm = mapping(
  {
    field: said('The name of the field with the id of the parent. The service adds it to the schema.', {
      ...text,
      pattern: '^[A-Za-z][A-Za-z0-9_]{0,62}$',
      errorMessage: 'must be a name of 1 to 63 letters, digits and "_" that begins with a letter',
    }),
    collection: said('The collection of the parents.', text),
    accepts: said('When records can be created under a parent. By default always.', acceptsForm),
    owned_by: said(
      'The owner of a new record: its creator, or the owner of the parent.',
      choice('creator', 'parent'),
    ),
    on_delete: said(
      'A parent with records under it cannot be deleted (restrict), is deleted with them (cascade), or without them (keep).',
      choice('restrict', 'cascade', 'keep'),
    ),
    max: said(
      'Records under one parent. By default there is no limit.',
      form.whole({ minimum: 1, maximum: 1_000_000 }),
    ),
    capacity: said('How many records under one parent can be in some states.', capacityForm),
    counts: said(
      'A parent shows how many records under it are in these states; true: all.',
      shownAs({ anyOf: [texts, { const: true }] }, counted),
      false,
    ),
  },
  ['field', 'collection'],
);
export type DeclaredParent = ValueOf<typeof parentForm>;

export const uniqueForm = mapping(
  {
    fields: said(
      'No two records have the same values of these: owner, parent, or names of required fields.',
      list(text, { minItems: 1, maxItems: 4, uniqueItems: true }),
    ),
    states: said('Only records in these states count. By default all.', form.stateNames),
    reveals: shownAs(
      null,
      said('Whether a refusal may tell callers that a record exists which they cannot read.', flag, false),
    ),
  },
  ['fields'],
);
export type DeclaredUnique = ValueOf<typeof uniqueForm>;

const unique = list(uniqueForm, {
  maxItems: 4,
  errorMessage: 'must be a list of at most 4 rules, such as [{ fields: [owner, parent] }]',
});

/** By state, then by action. */
const states: Form<Readonly<Record<string, Readonly<Record<string, string | DeclaredAction>> | null>>> = {
  type: 'object',
  minProperties: 1,
  maxProperties: maxStates,
  errorMessage: `must be a mapping of 1 to ${maxStates} states, the first of them the initial one`,
  propertyNames: form.name,
  additionalProperties: {
    description: 'The actions of this state. Without any it is final.',
    type: ['object', 'null'],
    errorMessage: 'must be a mapping of actions to states, {} for a final one',
    propertyNames: form.name,
    additionalProperties: said(
      'The state that the action leads to, or a mapping with the state, the roles and the effects.',
      shownAs(shownForm(actionForm), where({ type: 'object' }, actionForm, form.target)),
    ),
  },
};

export const scopesForm = mapping({
  read: said('To read.', form.formatted('scope')),
  write: said('To write.', form.formatted('scope')),
});

const access = mapping({
  create: said(
    'Who creates records: everyone (default), or roles with a scope or by the parent.',
    form.roleList,
  ),
  read: said(
    'Who reads a record: a role, a list of roles, or roles with states.',
    shownAs({ anyOf: [{ enum: ['owner', 'everyone'] }, shownForm(form.roleStates)] }, form.roleStates),
    'owner',
  ),
  update: said('Who changes the fields: owner (default).', form.roleStates),
  delete: said('Who deletes a record: owner (default), or "nobody".', form.roleStates),
  clients: said(
    'Which records machine clients reach: none, their own, or any.',
    choice('none', 'own', 'any'),
  ),
  scopes: said(
    'The scopes that the token needs.',
    shownAs(object({ read: maybe(text), write: maybe(text) }), scopesForm),
  ),
});
export type DeclaredAccess = ValueOf<typeof access>;

export const limitsForm = mapping({
  per_user: said('Records of one caller.', form.whole(perUserRange), defaultLimits.perUser),
  bytes: said("The JSON of a record's fields.", form.whole(bytesRange), defaultLimits.bytes),
  writes: said(
    'Creating, changing, deleting and moving records.',
    form.formatted('rate'),
    rateText(defaultLimits.writes),
  ),
  newcomer: said('The same for new callers.', form.formatted('newcomer-rate')),
  memberships: said(
    'Records in which one person has a role by invitation.',
    form.whole(peopleRange),
    defaultLimits.memberships,
  ),
  expire: said('A record is deleted this long after its last change.', form.formatted('period')),
});

const onlyDescription = `The events to write: ${recordEvents.join(', ')}, and the states that actions lead to.`;
const level: Form<'thin' | 'full' | 'none'> = { enum: ['thin', 'full', 'none'] };
const events = where(
  { type: 'object' },
  mapping({
    data: said('How much.', choice('thin', 'full')),
    only: said(onlyDescription, { ...form.names, minItems: 1, examples: [['created', 'deleted']] }),
  }),
  level,
);

const cards = mapping(
  {
    card: said('The collection under the same root whose records say what people call themselves.', text),
    name: said('The field of it with the name, a required text.', text),
  },
  ['card', 'name'],
);

const deprecated = mapping(
  {
    since: said('Since when.', form.formatted('day')),
    sunset: said('When it will be removed.', form.formatted('day')),
    link: said('A page that says what to do.', form.formatted('http-url')),
  },
  ['since'],
);

function formWith(schema: Schema) {
  const fields: Form<Schema> = {
    errorMessage:
      'must be a mapping with "properties", for example schema: {properties: {text: {type: string, maxLength: 280}}}',
    ...schema,
  };
  return mapping(
    {
      schema: said(
        'JSON Schema 2020-12 of the fields. Objects are closed unless they say otherwise.',
        shownAs({ type: 'object', additionalProperties: true }, fields),
      ),
      title: said('By default the name of the file.', form.shortText(100)),
      singular: said('What one record is called, such as "Booking".', form.shortText(60)),
      description: said('One or two sentences for the reference page.', form.shortText(2000)),
      index: said(
        'The fields to filter and sort by, besides created_at. They are required, and texts of bounded length, numbers or flags.',
        { ...form.names, maxItems: maxIndexedFields, default: [], examples: [['slot']] },
      ),
      states: said('The states of a record. The first one is the initial state.', states),
      editable: said('The states in which the fields can be changed. By default all.', form.names),
      roles: said('The roles of callers in a record, besides owner, everyone and client.', roles),
      parent: said('The collection of the parents. At most three levels.', parentForm),
      access: said('Who reaches what.', access),
      unique: said('The values that no two records may share.', unique, []),
      aliases: said(
        'Whether records name people by alias.',
        shownAs({ type: 'boolean' }, where({ type: 'object' }, cards, flag)),
        false,
      ),
      search: said('The fields that lists are searched in (?q=): texts, and lists of texts.', {
        ...form.names,
        maxItems: maxSearchedFields,
        default: [],
        examples: [['title', 'text']],
      }),
      history: said(
        'Whether readers of a record see its history: what happened, when, and in which role.',
        flag,
        false,
      ),
      concurrency: said(
        'Whether a change must say which version it changes.',
        choice('optional', 'required'),
      ),
      limits: said('The limits of one caller.', shownAs(null, limitsForm)),
      events: said(
        'How much events contain of a record.',
        shownAs({ enum: ['none', 'thin', 'full'] }, events),
        'thin',
      ),
      deprecated: said(
        'The collection is deprecated: every answer says so.',
        shownAs(object({ since: dateTime, sunset: maybe(dateTime), link: maybe(uri) }), deprecated),
      ),
    },
    ['schema'],
  );
}

export const declarationForm = formWith({ type: 'object' });
/** A declaration that fits the schema. A key with a default is always there. */
export type DeclarationFile = ValueOf<typeof declarationForm>;

const noStates = refuse('lists states, but the collection has none. Declare "states", or leave it out');
const statesFirst = where({ not: { required: ['states'] } }, { properties: { editable: noStates } });

/** For editors. */
export const declarationSchema: Schema = {
  $schema: dialect,
  title: 'A collection of Vestibule',
  description: 'Made by "npx vestibule schema". docs/collections.md says what each member means.',
  ...formWith(topSchema),
  ...statesFirst,
  $defs: schemaDefinitions,
};

/** Checks everything but the inside of the key `schema`, and fills in defaults. */
export const checkDeclaration = createFormCheck({ ...declarationForm, ...statesFirst }, form.formats);
