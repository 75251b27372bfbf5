import assert from 'node:assert/strict';
import { it } from 'node:test';
import { rolesOn } from '../../src/collections/roles.ts';
import { declared } from '../support/services/declared.ts';

it('a stored role is ignored when it is no longer declared or comes from a scope', () => {
  const collection = declared(`
schema: { properties: { text: { type: string, maxLength: 60 } } }
roles: { moderator: { scope: issues.moderate }, member: { invited_by: owner } }
access: { read: [owner, moderator, member] }
`);
  const facts = { isOwner: false, isMachine: false, scopeRoles: [] };
  const roles = rolesOn(collection, { ...facts, memberRoles: ['moderator', 'helper', 'member'] });
  assert.deepEqual(roles, ['member', 'everyone']);
});
