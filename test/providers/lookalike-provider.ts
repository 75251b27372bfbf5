import { type JWK, SignJWT } from 'jose';
import { serveDocuments } from '../support/http/document-server.ts';
import type { Settings } from '../support/services/service.ts';
import { makeKey, type ProviderKey } from '../support/tokens/provider.ts';

type Json = Readonly<Record<string, unknown>>;

/** The provider of a recipe, on this machine: its settings are those of the page but for the origin. */
export interface LookalikeProvider {
  readonly origin: string;
  readonly settings: Settings;
  readonly key: ProviderKey;
  readonly now: number;
  /** Signed with the key that is published, unless it is said with which. */
  sign(claims: Json, header?: Json, key?: ProviderKey): Promise<string>;
  stop(): void;
}

/** The keys of a provider as it publishes them. */
export type PublishedKeys = (key: ProviderKey) => readonly JWK[] | Promise<readonly JWK[]>;

/** Starts a provider that is at the paths, has the names and publishes the keys of the one that the settings are for. */
export async function startLookalike(
  documented: Settings,
  keysOf: PublishedKeys,
): Promise<LookalikeProvider> {
  const key = await makeKey();
  const keys = await keysOf(key);
  const path = URL.parse(String(documented.IDP_ISSUER))?.pathname.replace(/\/$/, '') ?? '';
  const jwksPath = documented.IDP_JWKS_PATH ?? '/.well-known/jwks.json';
  const { origin, stop } = await serveDocuments((at) => ({
    [jwksPath]: { keys },
    [`${path}/.well-known/openid-configuration`]: {
      issuer: exchanged(String(documented.IDP_ISSUER), documented, at),
      jwks_uri: `${at}${jwksPath}`,
      id_token_signing_alg_values_supported: ['RS256'],
    },
  }));
  return { ...recipeAt(origin, documented, key), stop };
}

function recipeAt(origin: string, documented: Settings, key: ProviderKey): Omit<LookalikeProvider, 'stop'> {
  const entries = Object.entries(documented);
  const now = Math.floor(Date.now() / 1000);
  return {
    origin,
    settings: Object.fromEntries(
      entries.map(([name, value]) => [name, exchanged(value, documented, origin)]),
    ),
    key,
    now,
    sign: (claims, header = {}, signer = key) =>
      new SignJWT(withoutUnset({ iat: now, exp: now + 600, ...claims }))
        .setProtectedHeader({ alg: 'RS256', typ: 'JWT', kid: signer.kid, ...header })
        .sign(signer.privateKey),
  };
}

/** The page's provider is reached here; nothing else of a setting changes. */
function exchanged(value: string, documented: Settings, origin: string): string {
  return value.replaceAll(String(documented.IDP_ORIGIN), origin);
}

export function withoutUnset<T>(values: Readonly<Record<string, T | undefined>>): Record<string, T> {
  const set = Object.entries(values).filter((entry): entry is [string, T] => entry[1] !== undefined);
  return Object.fromEntries(set);
}
