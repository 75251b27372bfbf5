import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { addClient } from '../support/services/service.ts';
import { tokenOf } from '../support/tokens/token-endpoint.ts';
import { attackedService } from './attacked-service.ts';

describe('tokens of this service with MAX_TOKEN_LIFETIME_SECONDS', () => {
  let client: { readonly id: string; readonly secret: string };
  const target = attackedService({
    settings: { MAX_TOKEN_LIFETIME_SECONDS: '600' },
    async prepare(_provider, settings) {
      client = { id: 'machine', secret: await addClient(settings, 'machine') };
    },
  });

  it('a token of POST /token is accepted although it lives longer', async () => {
    const { url } = target().service;
    assert.equal((await target().accepts(await tokenOf(url, client))).kind, 'client');
  });
});
