import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Attack } from '../../support/http/attacked.ts';
import type { Claims } from '../../support/tokens/provider.ts';

export function scopeForgeries(attack: Attack): void {
  describe('one required scope', () => {
    const target = attack({ settings: { IDP_REQUIRED_SCOPES: 'admin' } });

    it('[A47] a token with the scope at any place in the list is accepted', async () => {
      for (const scope of ['admin', 'admin read', 'read admin', 'read admin write'])
        await target().accepts(await target().provider.token({ scope }));
    });

    it('[A47] a token with the scope in "scp" is accepted, as a string or in a list', async () => {
      for (const scp of ['admin', 'read admin', ['admin'], ['read', 'admin']])
        await target().accepts(await target().provider.token({ scope: undefined, scp }));
    });

    const insufficient: Record<string, Claims> = {
      missing: { scope: undefined },
      empty: { scope: '' },
      null: { scope: null },
      'another one': { scope: 'read' },
      'one that ends like it': { scope: 'nonadmin' },
      'one that begins like it': { scope: 'administrator' },
      'one that contains it': { scope: 'read:admin' },
      'one with a level more': { scope: 'admin:read' },
      'in capitals': { scope: 'ADMIN' },
      'in a list': { scope: ['admin'] },
      'in a list of several': { scope: ['read', 'admin'] },
      'in an object': { scope: { admin: true } },
      true: { scope: true },
      'separated by a tab': { scope: 'read\tadmin' },
      'separated by a line break': { scope: 'read\nadmin' },
      'separated by a comma': { scope: 'read,admin' },
      'separated by a no-break space': { scope: 'read\u00a0admin' },
      'after two spaces': { scope: 'read  admin' },
      'after a space': { scope: ' admin' },
      'before a space': { scope: 'admin ' },
      'in quotes': { scope: '"admin"' },
      'with a NUL': { scope: 'admin\0' },
      'a star': { scope: '*' },
      'a pattern': { scope: '.*' },
      'under another name': {
        scope: undefined,
        scopes: ['admin'],
        permissions: ['admin'],
        roles: ['admin'],
        groups: ['admin'],
        realm_access: { roles: ['admin'] },
      },
      'under "scp" in capitals': { scope: undefined, scp: 'ADMIN' },
      'under "scp" and after two spaces': { scope: undefined, scp: 'read  admin' },
      'under "scp" in one item of a list': { scope: undefined, scp: ['read admin'] },
      'under "scp" in a list in a list': { scope: undefined, scp: [['admin']] },
      'under "scp" in an object': { scope: undefined, scp: { admin: true } },
    };
    for (const [name, claims] of Object.entries(insufficient))
      it(`[A47] a scope that is ${name} is insufficient`, async () => {
        const token = await target().provider.token(claims);
        const reply = await target().refuses(token, 'insufficient_scope');
        assert.match(reply.headers.get('www-authenticate') ?? '', /, scope="admin", resource_metadata="/);
      });
  });

  describe('two required scopes', () => {
    const target = attack({ settings: { IDP_REQUIRED_SCOPES: 'admin,read' } });

    it('[A47] a token needs both scopes', async () => {
      await target().accepts(await target().provider.token({ scope: 'read other admin' }));
      for (const scope of ['admin', 'read', 'admin,read']) {
        const reply = await target().refuses(await target().provider.token({ scope }), 'insufficient_scope');
        const challenge = reply.headers.get('www-authenticate') ?? '';
        assert.match(challenge, /, scope="admin read", resource_metadata="/);
      }
    });
  });
}
