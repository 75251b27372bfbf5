import { type DocumentServer, serveDocuments } from '../http/document-server.ts';
import type { Settings } from '../services/service.ts';
import { type Answer, makeKey } from './provider.ts';

const key = await makeKey();

type Json = Readonly<Record<string, unknown>>;

export interface DiscoveredProvider extends DocumentServer {
  readonly settings: Settings;
}

export interface Misbehaviour {
  /** The path of its issuer. */
  readonly realm?: string;
  /** Changes to its discovery document; null: no document. */
  readonly discovery?: ((origin: string) => Json) | null;
  readonly keys?: readonly unknown[];
  readonly aheadSeconds?: number;
  /** Replaces every answer. */
  readonly answer?: Answer;
}

/** A provider whose discovery document a test can spoil. */
export async function discoveredProvider(wrong: Misbehaviour = {}): Promise<DiscoveredProvider> {
  const { realm = '', discovery = () => ({}), aheadSeconds = 0, answer } = wrong;
  const documentsAt = (origin: string) => ({
    [`${realm}/jwks`]: { keys: wrong.keys ?? [key.jwk] },
    [`${realm}/.well-known/openid-configuration`]: discovery && {
      issuer: `${origin}${realm}`,
      jwks_uri: `${origin}${realm}/jwks`,
      id_token_signing_alg_values_supported: ['RS256'],
      ...discovery(origin),
    },
  });
  const server = await serveDocuments(documentsAt, (request, response) => {
    answer?.(request, response);
    if (answer !== undefined) return 'answered';
    response.setHeader('date', new Date(Date.now() + aheadSeconds * 1000).toUTCString());
  });
  return { ...server, settings: { IDP_ORIGIN: server.origin, IDP_JWKS_PATH: `${realm}/jwks` } };
}
