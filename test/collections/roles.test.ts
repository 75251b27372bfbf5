import assert from 'node:assert/strict';
import { it } from 'node:test';
import { rolesOn } from '../../src/collections/roles.ts';
import { declared } from './declared.ts';

it('a stored role counts for nothing once it is not declared any more, or obtained by a scope', () => {
  const collection = declared(`
schema: { properties: { text: { type: string, maxLength: 60 } } }
roles: { moderator: { scope: issues.moderate }, member: { invited_by: owner } }
access: { read: [owner, moderator, member] }
`);
  const facts = { isOwner: false, isMachine: false, scopeRoles: [] };
  const roles = rolesOn(collection, { ...facts, memberRoles: ['moderator', 'helper', 'member'] });
  assert.deepEqual(roles, ['member', 'everyone']);
});
