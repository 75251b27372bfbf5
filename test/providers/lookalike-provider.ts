import { type JWK, SignJWT } from 'jose';
import { serveDocuments } from '../support/http/document-server.ts';
import type { Settings } from '../support/services/service.ts';
import { makeKey, type ProviderKey } from '../support/tokens/provider.ts';

type Json = Readonly<Record<string, unknown>>;

export type PublishedKeys = (key: ProviderKey) => readonly JWK[] | Promise<readonly JWK[]>;
export type LookalikeProvider = Awaited<ReturnType<typeof startLookalike>>;

/** The provider of a recipe, on this machine: its settings, paths and names are those of the page but for the origin. */
export async function startLookalike(documented: Settings, keysOf: PublishedKeys) {
  const key = await makeKey();
  const keys = await keysOf(key);
  const path = URL.parse(String(documented.IDP_ISSUER))?.pathname.replace(/\/$/, '') ?? '';
  const jwksPath = documented.IDP_JWKS_PATH ?? '/.well-known/jwks.json';
  const at = (origin: string): Settings =>
    Object.fromEntries(
      Object.entries(documented).map(([name, value]) => [
        name,
        value.replaceAll(String(documented.IDP_ORIGIN), origin),
      ]),
    );
  const { origin, stop } = await serveDocuments((here) => ({
    [jwksPath]: { keys },
    [`${path}/.well-known/openid-configuration`]: {
      issuer: at(here).IDP_ISSUER,
      jwks_uri: `${here}${jwksPath}`,
      id_token_signing_alg_values_supported: ['RS256'],
    },
  }));
  const now = Math.floor(Date.now() / 1000);
  /** Signed with the key that is published, unless it is said with which. */
  const sign = (claims: Json, header: Json = {}, signer: ProviderKey = key) =>
    new SignJWT(withoutUnset({ iat: now, exp: now + 600, ...claims }))
      .setProtectedHeader({ alg: 'RS256', typ: 'JWT', kid: signer.kid, ...header })
      .sign(signer.privateKey);
  return { origin, settings: at(origin), key, now, sign, stop };
}

export function withoutUnset<T>(values: Readonly<Record<string, T | undefined>>): Record<string, T> {
  const set = Object.entries(values).filter((entry): entry is [string, T] => entry[1] !== undefined);
  return Object.fromEntries(set);
}
