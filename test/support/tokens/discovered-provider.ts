import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Settings } from '../services/service.ts';
import { makeKey } from './provider.ts';

const key = await makeKey();

type Json = Readonly<Record<string, unknown>>;

export interface DiscoveredProvider {
  readonly origin: string;
  /** The settings that fit it. */
  readonly settings: Settings;
  stop(): void;
}

export interface Misbehaviour {
  /** The path of its issuer. */
  readonly realm?: string;
  /** Changes to its discovery document; null: no document. */
  readonly discovery?: ((origin: string) => Json) | null;
  readonly keys?: readonly unknown[];
  /** How far its clock is ahead. */
  readonly aheadSeconds?: number;
  /** Replaces every answer. */
  readonly answer?: (request: IncomingMessage, response: ServerResponse) => void;
}

/** A provider whose discovery document a test can spoil. */
export async function discoveredProvider(wrong: Misbehaviour = {}): Promise<DiscoveredProvider> {
  const { realm = '', discovery = () => ({}), aheadSeconds = 0 } = wrong;
  const keys = wrong.keys ?? [key.jwk];
  const server = createServer((request, response) => {
    if (wrong.answer !== undefined) return wrong.answer(request, response);
    const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const documents: Record<string, Json | null> = {
      [`${realm}/jwks`]: { keys },
      [`${realm}/.well-known/openid-configuration`]: discovery && {
        issuer: `${origin}${realm}`,
        jwks_uri: `${origin}${realm}/jwks`,
        id_token_signing_alg_values_supported: ['RS256'],
        ...discovery(origin),
      },
    };
    const document = documents[String(request.url)] ?? null;
    response.setHeader('date', new Date(Date.now() + aheadSeconds * 1000).toUTCString());
    response.writeHead(document === null ? 404 : 200).end(JSON.stringify(document));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const settings = { IDP_ORIGIN: origin, IDP_JWKS_PATH: `${realm}/jwks` };
  const stop = () => {
    server.closeAllConnections();
    server.close();
  };
  return { origin, settings, stop };
}
