import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { stringify } from 'yaml';
import { plainSql } from '../support/databases/plain-sql.ts';
import { canaryClaims } from '../support/faults/canaries.ts';
import { provokeRefusals } from '../support/faults/personal-requests.ts';
import { type Reply, request, withToken } from '../support/http/request.ts';
import {
  addClient,
  type DatabaseEngine,
  me,
  newSettings,
  type Service,
  type Settings,
  startService,
} from '../support/services/service.ts';
import { newDpopKey, proofBy, withProof } from '../support/tokens/dpop.ts';
import { basic, encodeForm, formType } from '../support/tokens/oauth-form.ts';
import type { TestProvider } from '../support/tokens/provider.ts';
import { canarySession, logoutToken, webClient } from '../support/tokens/provider-documents.ts';
import { tokenOf } from '../support/tokens/token-endpoint.ts';
import { peopleSettings, plantPeople } from './planted-people.ts';

export type PlantedService = Awaited<ReturnType<typeof startPlanted>>;

export const plantedLogoutId = canaryClaims.phone_number;

/** A service that received personal data through every interface; the caller with the subject of the canaries; every refusal. */
export async function startPlanted(engine: DatabaseEngine, provider: TestProvider) {
  const settings = { ...(await settingsFor(engine, provider)), ...peopleSettings() };
  const credentials = { id: 'privacy-client', secret: await addClient(settings, 'privacy-client') };
  const service = await startService(settings);
  const errors = await provokeRefusals(service, provider);
  await sendProof(service, provider);
  const welcome = await withToken(service.url + me, await provider.token());
  assert.equal(welcome.status, 200, welcome.text);
  const planted = await plantPeople(service, provider);
  const shown = await request(`${service.opsUrl}/console/data`);
  assert.equal(shown.status, 200, shown.text);
  writeFileSync(`${settings.TEST_DIRECTORY}/console.json`, shown.text);
  errors.push(
    await withToken(service.url + me, `cookie-gingerquoll-${randomBytes(32).toString('base64url')}`),
  );
  // From here on the caller is signed out.
  errors.push(await sendLogoutTokens(service, provider));
  await takeBack(service, credentials, await provider.token());
  const database = plainSql(settings);
  return { service, database, id: String(welcome.json().id), planted, errors };
}

async function settingsFor(engine: DatabaseEngine, provider: TestProvider): Promise<Settings> {
  const settings = await newSettings(engine, {});
  const directory = settings.TEST_DIRECTORY;
  const { origin } = provider;
  const main = { name: 'main', origin, issuer: origin, jwks_path: '/jwks', logout_audience: [webClient] };
  writeFileSync(`${directory}/providers.yaml`, stringify([main]));
  return { ...settings, IDPS_FILE: `${directory}/providers.yaml` };
}

/** The first sight of a caller is a write, and uses up the proof that it comes with. */
async function sendProof({ url, settings }: Service, provider: TestProvider): Promise<void> {
  const key = newDpopKey();
  const token = await provider.token({ cnf: { jkt: key.thumbprint } });
  const proving = { method: 'GET', url: `${settings.BASE_URL}${me}`, token };
  const proof = proofBy(key, proving, { claims: { jti: canaryClaims.email, name: canaryClaims.name } });
  assert.equal((await withProof(url + me, token, proof)).status, 200);
}

/** A logout token that is taken, and one for another audience; that refusal. */
async function sendLogoutTokens({ url }: Service, provider: TestProvider): Promise<Reply> {
  const claims = { sid: canarySession, name: canaryClaims.name, picture: canaryClaims.picture };
  const send = async (changes: object) => {
    const token = await logoutToken(provider, { ...claims, ...changes });
    const body = new URLSearchParams({ logout_token: token });
    return request(`${url}/idp/logout`, { method: 'POST', body });
  };
  const taken = await send({ jti: plantedLogoutId });
  assert.equal(taken.status, 200, taken.text);
  return send({ aud: canaryClaims.email });
}

/** A client revokes its own token, and one of another client, which has no effect. */
async function takeBack(
  service: Service,
  credentials: { readonly id: string; readonly secret: string },
  foreign: string,
): Promise<void> {
  for (const token of [await tokenOf(service.url, credentials), foreign]) {
    const reply = await request(`${service.url}/revoke`, {
      method: 'POST',
      headers: { 'content-type': formType, ...basic(credentials) },
      body: encodeForm({ token, token_type_hint: canaryClaims.preferred_username }),
    });
    assert.equal(reply.status, 200, reply.text);
  }
}
