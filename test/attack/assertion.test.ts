import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { exportSPKI } from 'jose';
import { succeeded } from '../support/commands/outcome.ts';
import { assertNoEcho } from '../support/http/refusals.ts';
import { deployment } from '../support/services/deployment.ts';
import { runVestibule } from '../support/services/service.ts';
import {
  addClientWithKey,
  addKeyClient,
  assertionClaims,
  assertionForm,
  clientAlgorithms,
  makeClientKeys,
  signAssertion,
} from '../support/tokens/client-keys.ts';
import { addClientWith, assertOAuthError, grant, postForm } from '../support/tokens/oauth-form.ts';
import {
  type Attempt,
  acceptedAttempts,
  issuer,
  names,
  type Parties,
  refusedAttempts,
} from './assertion-cases.ts';

describe('client authentication with a private key (private_key_jwt)', () => {
  let parties: Parties;
  const running = deployment({
    settings: { REFUSALS_PER_MINUTE: '1000000' },
    prepare: async (settings) => {
      const [keys, strangers] = await Promise.all([makeClientKeys(), makeClientKeys()]);
      parties = { keys, strangers, pem: await exportSPKI(keys.RS256.publicKey) };
      await addKeyClient(settings, names.self, Object.values(keys));
      await addClientWith(settings, names.withSecret);
      await addKeyClient(settings, names.other, Object.values(strangers));
      await addKeyClient(settings, names.shutOut, Object.values(keys));
      await addClientWithKey(settings, 'pem-client', parties.pem);
      succeeded(await runVestibule(settings, 'client', 'disable', names.shutOut));
    },
  });
  const post = (form: Readonly<Record<string, string>>) => postForm(running().service.url, form);

  const assertionOf = async (attempt: Attempt) => {
    const { claims, header, key = parties.keys.RS256, sent = (signed) => signed } = attempt;
    return sent(await signAssertion(key, assertionClaims(names.self, issuer, claims), header));
  };
  const take = async (attempt: Attempt) => {
    const reply = await post({ ...assertionForm(await assertionOf(attempt)), ...attempt.fields });
    assert.equal(reply.status, 200, reply.text);
    assert.deepEqual(Object.keys(reply.json()), ['access_token', 'token_type', 'expires_in']);
  };
  const refuse = async (attempt: Attempt, what: string) => {
    const assertion = await assertionOf(attempt);
    const reply = await post({ ...assertionForm(assertion), ...attempt.fields });
    assertOAuthError(reply, 401, 'invalid_client', what);
    assertNoEcho(reply, assertion);
  };

  for (const algorithm of clientAlgorithms) {
    it(`an assertion signed with ${algorithm} is accepted; one signed with an unregistered key is refused`, async () => {
      const { keys, strangers } = parties;
      await take({ key: keys[algorithm] });
      await refuse({ key: strangers[algorithm], header: { kid: keys[algorithm].kid } }, algorithm);
    });
  }

  it('a client registered with a PEM key needs no kid in its assertions', async () => {
    const unnamed = { claims: { iss: 'pem-client', sub: 'pem-client' }, header: { kid: undefined } };
    await take(unnamed);
    await refuse({ ...unnamed, key: parties.strangers.RS256 }, 'another key');
  });

  for (const [what, attempt] of Object.entries(acceptedAttempts)) {
    it(`an assertion is accepted with ${what}`, () => take(attempt(parties)));
  }

  for (const [what, attempt] of Object.entries(refusedAttempts)) {
    it(`an assertion is refused with ${what}`, () => refuse(attempt(parties), what));
  }

  it('a wrong or missing client_assertion_type, or an empty assertion, is invalid_request', async () => {
    const form = assertionForm(await assertionOf({}));
    const { client_assertion_type: type, client_assertion } = form;
    const saml = type.replace('jwt-bearer', 'saml2-bearer');
    for (const wrong of [saml, type.toUpperCase(), `${type} `, 'x', '']) {
      const reply = await post({ ...form, client_assertion_type: wrong });
      assertOAuthError(reply, 400, 'invalid_request', wrong);
    }
    assertOAuthError(await post({ ...grant, client_assertion }), 400, 'invalid_request', 'no type');
    assertOAuthError(await post(assertionForm('')), 400, 'invalid_request', 'an empty assertion');
    assert.equal((await post(form)).status, 200, 'none of it has used up the assertion');
  });

  it('a JSON request with an assertion is refused with 400', async () => {
    const body = JSON.stringify({ ...assertionForm(await assertionOf({})), client_id: names.self });
    const headers = { 'content-type': 'application/json' };
    const reply = await postForm(running().service.url, body, headers);
    assert.deepEqual([reply.status, reply.text], [400, '{}']);
  });
});
