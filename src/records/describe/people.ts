import type { Collection } from '../../collections/collection.ts';
import { answersJson, type Description, tags } from '../../openapi/description.ts';
import type { Content, Parameter, Schema } from '../../openapi/openapi-types.ts';
import { closedObject, dateTime, listOf, object, text } from '../../openapi/schemas.ts';
import { memberRoles } from '../caller-access.ts';
import { invitedRoles, longestInvitationMs, maxUses } from '../requests/people.ts';
import { wordsFor } from '../singular.ts';
import { aliasSchema as alias, describeIn, idParameter } from './in-collection.ts';
import { pageParameters } from './reads.ts';
import { describeWrite } from './writes.ts';

/** The routes of requests/people.ts. */

const id: Schema = { type: 'string', format: 'uuid' };
const aliasParameter: Parameter = {
  ...idParameter,
  name: 'alias',
  description: 'The member: an alias from the list of members.',
  schema: alias,
};

function content(schema: Schema): Content {
  return { 'application/json': { schema } };
}

export function describeInvite(collection: Collection): Description {
  const roles = invitedRoles(collection);
  const invitation = {
    id,
    role: { ...text, enum: roles },
    uses: { type: 'integer', minimum: 1, maximum: maxUses },
    expires_at: dateTime,
    code: {
      ...text,
      description: 'Shown only once. Put it behind "#" in a link: no server sees it there.',
    },
  };
  const longest = `A duration of at most ${longestInvitationMs / 86_400_000}d.`;
  const body = closedObject(
    {
      role: invitation.role,
      uses: { ...invitation.uses, default: 1 },
      expires_in: { ...text, default: '7d', description: longest },
    },
    ['uses', 'expires_in'],
  );
  return describeWrite(collection, {
    name: 'invite',
    summary: `Invite to ${wordsFor(collection).one}`,
    description: 'Makes a code that lets others take the role.',
    parameters: [idParameter],
    body: content(body),
    answers: { 201: { description: 'The invitation, with its code.', content: content(object(invitation)) } },
    errors: ['json_invalid', 'validation_failed', 'role_required', 'quota_exceeded'],
  });
}

export function describeInvitations(collection: Collection): Description {
  const one = object({ id, role: text, uses_left: { type: 'integer' }, expires_at: dateTime });
  return describeIn(collection, 'read', {
    name: 'invitations',
    summary: 'List open invitations',
    description: 'Without their codes. For callers who may invite.',
    parameters: [idParameter],
    answers: answersJson('The invitations.', object({ items: listOf(one) })),
    errors: ['role_required'],
  });
}

export function describeEndInvitation(collection: Collection): Description {
  const invitation = { ...idParameter, name: 'invitation', description: 'Its id.' };
  return describeWrite(collection, {
    name: 'end_invitation',
    summary: 'End an invitation',
    parameters: [idParameter, invitation],
    answers: { 204: { description: 'Its code is invalid now.' } },
    errors: ['role_required'],
  });
}

export function describeMembers(collection: Collection): Description {
  const roles = ['owner', ...memberRoles(collection)];
  const one = object({
    alias,
    role: { ...text, enum: roles },
    since: dateTime,
    is_me: { type: 'boolean' },
  });
  const page = object({ items: listOf(one), next: { type: ['string', 'null'] } });
  return describeIn(collection, 'read', {
    name: 'members',
    summary: `List the members of ${wordsFor(collection).one}`,
    description: collection.aliases
      ? 'For all callers who may read the record.'
      : 'For callers who may invite.',
    parameters: [idParameter, ...pageParameters],
    answers: answersJson('A page.', page),
    errors: ['role_required', 'cursor_invalid'],
  });
}

export function describeChangeMember(collection: Collection): Description {
  const role = { ...text, enum: memberRoles(collection, 'invited') };
  return describeWrite(collection, {
    name: 'change_member',
    summary: 'Give a member another role',
    description: 'For callers who may invite to both roles. Ends all invitations of the record.',
    parameters: [idParameter, aliasParameter],
    body: content(closedObject({ role })),
    answers: { 204: { description: 'The member has the role.' } },
    errors: ['json_invalid', 'validation_failed', 'role_required', 'role_full'],
  });
}

export function describeRemoveMember(collection: Collection): Description {
  return describeWrite(collection, {
    name: 'remove_member',
    summary: 'Remove a member, or leave',
    description: 'With "me" the caller leaves. Removing another member ends all invitations of the record.',
    parameters: [idParameter, { ...aliasParameter, schema: { anyOf: [alias, { const: 'me' }] } }],
    answers: { 204: { description: 'The role has ended.' } },
    errors: ['role_required'],
  });
}

const codeBody = closedObject({ code: { ...text, description: 'Of an invitation.' } });

export function describePreview(): Description {
  return {
    name: 'previewInvitation',
    tag: tags.caller,
    summary: 'Look at an invitation',
    description: 'What the code leads to. Changes nothing. Wrong codes count as they do when accepting.',
    body: content(codeBody),
    answers: answersJson(
      'The collection and the role.',
      object({ collection: text, role: text, expires_at: dateTime }),
    ),
    errors: ['json_invalid', 'validation_failed', 'invitation_invalid', 'role_required'],
    budget: 'reads',
  };
}

export function describeAccept(): Description {
  const joined = object({ collection: text, role: text, record: { type: 'object' } });
  return {
    name: 'acceptInvitation',
    tag: tags.caller,
    summary: 'Accept an invitation',
    description:
      'The caller takes the role that the code is for. After ten wrong codes in a minute the answer is 429.',
    body: content(codeBody),
    answers: answersJson(
      'The role and the record. Only its id if the role may not read the record in its present state.',
      joined,
    ),
    errors: [
      'json_invalid',
      'validation_failed',
      'invitation_invalid',
      'already_member',
      'not_unique',
      'role_full',
      'quota_exceeded',
      'role_required',
      'write_budget_spent',
      'newcomer_budget_spent',
      'newcomers_paused',
    ],
    budget: 'writes',
  };
}
