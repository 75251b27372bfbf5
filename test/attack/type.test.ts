import { describe, it } from 'node:test';
import { request } from '../support/http/request.ts';
import { addClient } from '../support/services/service.ts';
import { attackedService } from './attacked-service.ts';

describe('tokens of this service with REQUIRE_AT_JWT', () => {
  let clientSecret: string;
  const target = attackedService({
    settings: { REQUIRE_AT_JWT: 'true' },
    async prepare(_provider, settings) {
      clientSecret = await addClient(settings, 'strict-client');
    },
  });

  it('[A42] in strict mode a token of POST /token is accepted', async () => {
    const issued = await request(`${target().service.url}/token`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ client_id: 'strict-client', client_secret: clientSecret }),
    });
    await target().accepts(issued.json<{ token: string }>().token);
  });
});
