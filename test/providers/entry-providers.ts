import { generateKeyPairSync, type KeyObject, randomUUID } from 'node:crypto';
import { exportJWK, type JWK, SignJWT } from 'jose';
import { parse } from 'yaml';
import { sectionOf } from '../support/commands/documented-settings.ts';
import { serveDocuments } from '../support/http/document-server.ts';

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

function entryIn(heading: string): string {
  const block = /^```yaml\n(- name: [^`]+)```$/m.exec(sectionOf('docs/providers.md', heading))?.[1];
  if (block === undefined) throw new Error(`docs/providers.md shows no entry of IDPS_FILE for ${heading}`);
  return block;
}

export type EntryProvider = Awaited<ReturnType<typeof startEntryProvider>>;

/** The provider of an entry on this machine: the entry is that of the page but for the origin. */
export async function startEntryProvider(heading: string) {
  const documented = entryIn(heading);
  const [before] = parse(documented) as [Entry];
  const algorithm = String([before.algorithms ?? 'RS256'].flat()[0]);
  const { privateKey, jwk } = await newKey(algorithm);
  const path = before.jwks_path ?? '/.well-known/jwks.json';
  const { origin, stop } = await serveDocuments(() => ({ [path]: { keys: [jwk] } }));
  const text = documented.replaceAll(before.origin, origin);
  const [{ name, issuer = origin, audience }] = parse(text) as [Entry];
  return {
    name,
    text,
    issuer,
    audience: String([audience].flat()[0]),
    /** Signed with the key that it publishes. */
    sign: (claims: Claims, header: Claims = {}) =>
      new SignJWT({ ...claims })
        .setProtectedHeader({ alg: algorithm, typ: 'JWT', kid: String(jwk.kid), ...header })
        .sign(privateKey),
    stop,
  };
}

async function newKey(algorithm: string): Promise<{ privateKey: KeyObject; jwk: JWK }> {
  const { privateKey, publicKey } = algorithm.startsWith('ES')
    ? generateKeyPairSync('ec', { namedCurve: 'P-256' })
    : generateKeyPairSync('rsa', { modulusLength: 2048 });
  return { privateKey, jwk: { ...(await exportJWK(publicKey)), kid: randomUUID(), use: 'sig' } };
}
