import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { before, describe, it } from 'node:test';
import * as oauth from 'oauth4webapi';
import { createClient, Problem } from '../../packages/client/src/index.ts';
import { declarationsFolder } from '../support/services/declarations.ts';
import { deployment } from '../support/services/deployment.ts';

const [, code = ''] =
  /^```js\n(import \* as oauth[\s\S]*?)\n```$/m.exec(readFileSync('docs/frontend.md', 'utf8')) ?? [];

interface DocumentedModule {
  readonly DPoP: oauth.DPoPHandle;
  readonly fetchWithProof: typeof fetch;
}

describe('the fetch function with DPoP proofs of docs/frontend.md, with the typed client', () => {
  const notes = `
title: Notes
schema: { required: [text], properties: { text: { type: string, minLength: 1, maxLength: 60 } } }
access: { clients: own }
`;
  const running = deployment({
    isAddressed: true,
    settings: { DPOP: 'nonce', COLLECTIONS_DIR: declarationsFolder({ notes }) },
    clients: { machine: [] },
  });
  let documented: DocumentedModule;
  before(async () => {
    const folder = mkdtempSync(join(tmpdir(), 'vestibule-proof-'));
    symlinkSync(resolve('node_modules'), join(folder, 'node_modules'));
    writeFileSync(join(folder, 'proof.mjs'), code);
    documented = await import(join(folder, 'proof.mjs'));
  });

  async function boundToken(): Promise<string> {
    const server = { issuer: running().service.url, token_endpoint: `${running().service.url}/token` };
    const client = { client_id: 'machine' };
    const options = { DPoP: documented.DPoP, [oauth.allowInsecureRequests]: true };
    const ask = async () => {
      const how = oauth.ClientSecretPost(running().client('machine').secret);
      const reply = await oauth.clientCredentialsGrantRequest(server, client, how, {}, options);
      return oauth.processClientCredentialsResponse(server, client, reply);
    };
    const { access_token, token_type } = await ask().catch((error) => {
      assert.ok(oauth.isDPoPNonceError(error), String(error));
      return ask();
    });
    assert.equal(token_type, 'dpop');
    return access_token;
  }

  it('reads, writes and streams while nonces are required', async () => {
    const token = await boundToken();
    const { fetchWithProof: fetch } = documented;
    const api = createClient({ url: running().service.url, token: () => token, fetch });
    assert.equal((await api.me()).kind, 'client');
    const stop = new AbortController();
    const live = api.collection('notes').live({}, { signal: stop.signal });
    const made = await api.collection('notes').create({ text: 'bound' });
    for await (const items of live) if (items.length > 0) break;
    await api.collection('notes').remove(String(made.id));
    assert.equal((await api.overview()).collections.length, 1);
  });

  it('passes refusals on; without it the bound token is refused', async () => {
    const token = await boundToken();
    const options = { url: running().service.url, token: () => token };
    const absent = createClient({ ...options, fetch: documented.fetchWithProof })
      .collection('notes')
      .get('none');
    await assert.rejects(absent, (error) => error instanceof Problem && error.code === 'not_found');
    const bare = createClient(options).me();
    await assert.rejects(bare, (error) => error instanceof Problem && error.code === 'token_bound');
  });
});
