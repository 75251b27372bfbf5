import { createHmac, generateKeyPairSync, type KeyObject, randomUUID } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, type JWK, SignJWT } from 'jose';
import { parse } from 'yaml';
import { sectionOf } from '../support/commands/documented-settings.ts';
import { base64url } from '../support/tokens/forged-token.ts';

type Claims = Readonly<Record<string, unknown>>;

/** An entry of IDPS_FILE as it stands on a page. */
interface Entry {
  readonly name: string;
  readonly origin: string;
  readonly issuer?: string;
  readonly jwks_path?: string;
  readonly audience: string | readonly string[];
  readonly algorithms?: string | readonly string[];
}

/** The provider of an entry on this machine: the entry is that of the page but for the origin. */
export interface EntryProvider {
  readonly name: string;
  /** The entry, to be written into a list. */
  readonly text: string;
  readonly issuer: string;
  readonly audience: string;
  /** Signed with the key that it publishes. */
  sign(claims: Claims, header?: Claims): Promise<string>;
  stop(): void;
}

/** The entry that a section of docs/providers.md shows. */
function entryIn(heading: string): string {
  const block = /^```yaml\n(- name: [^`]+)```$/m.exec(sectionOf('docs/providers.md', heading))?.[1];
  if (block === undefined) throw new Error(`docs/providers.md shows no entry of IDPS_FILE for ${heading}`);
  return block;
}

export async function startEntryProvider(heading: string): Promise<EntryProvider> {
  const documented = entryIn(heading);
  const [before] = parse(documented) as [Entry];
  const algorithm = String([before.algorithms ?? 'RS256'].flat()[0]);
  const { privateKey, jwk } = await newKey(algorithm);
  const server = await publish(before.jwks_path ?? '/.well-known/jwks.json', jwk);
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const text = documented.replaceAll(before.origin, origin);
  const [{ name, issuer = origin, audience }] = parse(text) as [Entry];
  return {
    name,
    text,
    issuer,
    audience: String([audience].flat()[0]),
    sign: (claims, header = {}) =>
      new SignJWT({ ...claims })
        .setProtectedHeader({ alg: algorithm, typ: 'JWT', kid: String(jwk.kid), ...header })
        .sign(privateKey),
    stop() {
      server.closeAllConnections();
      server.close();
    },
  };
}

/** A token that is signed with an unpublished secret. */
export function signedWithSecret(claims: Claims): string {
  const input = `${base64url({ alg: 'HS256', typ: 'JWT' })}.${base64url(claims)}`;
  return `${input}.${createHmac('sha256', randomUUID()).update(input).digest('base64url')}`;
}

async function newKey(algorithm: string): Promise<{ privateKey: KeyObject; jwk: JWK }> {
  const { privateKey, publicKey } = algorithm.startsWith('ES')
    ? generateKeyPairSync('ec', { namedCurve: 'P-256' })
    : generateKeyPairSync('rsa', { modulusLength: 2048 });
  return { privateKey, jwk: { ...(await exportJWK(publicKey)), kid: randomUUID(), use: 'sig' } };
}

async function publish(path: string, jwk: JWK): Promise<Server> {
  const server = createServer(({ url }, response) => {
    response.writeHead(url === path ? 200 : 404, { 'content-type': 'application/json' });
    response.end(JSON.stringify(url === path ? { keys: [jwk] } : {}));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return server;
}
