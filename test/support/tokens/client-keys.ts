import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { exportJWK, generateKeyPair, type JWK, SignJWT } from 'jose';
import type { Settings } from '../services/service.ts';
import { addClientWith, grant } from './oauth-form.ts';

export const clientAlgorithms = ['RS256', 'PS256', 'ES256', 'EdDSA'] as const;
export type ClientAlgorithm = (typeof clientAlgorithms)[number];

export type ClientKey = Awaited<ReturnType<typeof makeClientKey>>;
export type ClientKeys = Readonly<Record<ClientAlgorithm, ClientKey>>;

/** A key of a client's own, for private_key_jwt. */
export async function makeClientKey(algorithm: ClientAlgorithm) {
  const { privateKey, publicKey } = await generateKeyPair(algorithm, { extractable: true });
  const kid = randomUUID();
  const jwk: JWK = { ...(await exportJWK(publicKey)), kid, use: 'sig', alg: algorithm };
  return { algorithm, kid, privateKey, publicKey, jwk };
}

export async function makeClientKeys(): Promise<ClientKeys> {
  const keys = await Promise.all(clientAlgorithms.map(makeClientKey));
  return Object.fromEntries(keys.map((key) => [key.algorithm, key])) as unknown as ClientKeys;
}

export function addKeyClient(
  settings: Settings,
  id: string,
  keys: readonly ClientKey[],
  ...options: string[]
) {
  return addClientWithKey(settings, id, JSON.stringify({ keys: keys.map(({ jwk }) => jwk) }), ...options);
}

export async function addClientWithKey(settings: Settings, id: string, text: string, ...options: string[]) {
  const file = `${settings.TEST_DIRECTORY}/${randomUUID()}.public`;
  writeFileSync(file, text);
  await addClientWith(settings, id, '--public-key', file, ...options);
}

type Json = Readonly<Record<string, unknown>>;

/** The claims of a good assertion; undefined removes one. */
export function assertionClaims(clientId: string, audience: string, changes: Json = {}): Json {
  const now = Math.floor(Date.now() / 1000);
  const named = { iss: clientId, sub: clientId, aud: audience };
  const all = { ...named, iat: now, exp: now + 60, jti: randomUUID(), ...changes };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
}

export function signAssertion(key: ClientKey, claims: Json, header: Json = {}): Promise<string> {
  const all = { alg: key.algorithm, kid: key.kid, ...header };
  const members = Object.entries(all).filter(([, value]) => value !== undefined);
  return new SignJWT(claims)
    .setProtectedHeader({ ...Object.fromEntries(members), alg: all.alg })
    .sign(key.privateKey);
}

export function assertionForm(assertion: string) {
  return {
    ...grant,
    client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
    client_assertion: assertion,
  } as const;
}
