import { generateKeyPairSync } from 'node:crypto';
import { base64url } from './forged-token.ts';
import { makeKey, type ProviderKey } from './provider.ts';
import { type Case, type Change, type Part, right } from './token-cases.ts';
import { type Cast, jsonForms, keySets, rs256, segmentForms, signatures } from './token-forms.ts';

export async function makeCast(issuer: string, audience: string, key?: ProviderKey): Promise<Cast> {
  return {
    issuer,
    audience,
    key: key ?? (await makeKey()),
    other: await makeKey('(another)'),
    unpublished: await makeKey('(a third)'),
    weak: await makeKey('(weak)', 1024),
    curve: generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey,
  };
}

type Json = Record<string, unknown>;

export function build(generated: Case, cast: Cast): { readonly token: string; readonly keySet: unknown } {
  if ('garbage' in generated) return { token: generated.garbage, keySet: { keys: [cast.key.jwk] } };
  const { changes } = generated;
  return { token: buildToken(changes, cast), keySet: buildKeySet(changes, cast) };
}

function buildToken(changes: readonly Change[], cast: Cast): string {
  const now = Math.floor(Date.now() / 1000);
  const header: Json = { alg: 'RS256', kid: cast.key.kid };
  const claims: Json = {
    iss: cast.issuer,
    aud: cast.audience,
    sub: 'somebody',
    iat: now,
    exp: now + 600,
    scope: 'read write',
  };
  const goodInput = `${base64url(header)}.${base64url(claims)}`;
  const rightOf: Json = { ...header, ...claims, jwk: cast.unpublished.jwk };
  for (const change of changes) {
    if (change.kind === 'header') set(header, change.name, put(change.value, rightOf[change.name]));
    if (change.kind === 'claim') set(claims, change.name, put(change.value, rightOf[change.name]));
    if (change.kind === 'time') claims[change.name] = now + change.offsetSeconds;
  }
  const parts = { header: JSON.stringify(header), claims: JSON.stringify(claims) };
  for (const change of changes) {
    if (change.kind !== 'twice') continue;
    const value = JSON.stringify(put(change.value, rightOf[change.name]) ?? null);
    parts[change.part] = parts[change.part].replace('{', `{"${change.name}":${value},`);
  }
  const bytes: Record<Part, Buffer> = {
    header: Buffer.from(parts.header),
    claims: Buffer.from(parts.claims),
  };
  for (const change of changes) {
    if (change.kind !== 'json') continue;
    const form = jsonForms[change.how](bytes[change.part].toString(), change.part);
    bytes[change.part] = Buffer.from(form as string);
  }
  const input = `${bytes.header.toString('base64url')}.${bytes.claims.toString('base64url')}`;
  const signature = changes.find((change) => change.kind === 'signature');
  const signed =
    signature === undefined
      ? rs256(input, cast.key)
      : Buffer.from(signatures[signature.how]({ ...cast, input, goodInput }));
  const segments = [...input.split('.'), signed.toString('base64url')];
  for (const change of changes) {
    if (change.kind === 'segment')
      segments[change.index] = segmentForms[change.how](segments[change.index] ?? '');
  }
  return segments.join('.');
}

function set(target: Json, name: string, value: unknown): void {
  if (value === undefined) delete target[name];
  else target[name] = value;
}

/** `right` inside a text, a list or an object becomes the right value. */
function put(value: unknown, rightValue: unknown): unknown {
  if (value === right || value === '(the key of the attacker)') return rightValue;
  if (typeof value === 'string') return value.replace(right, String(rightValue));
  if (Array.isArray(value)) return value.map((entry) => put(entry, rightValue));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, put(inner, rightValue)]));
}

function buildKeySet(changes: readonly Change[], cast: Cast): unknown {
  const { key } = cast;
  const jwk: Json = { ...key.jwk };
  for (const change of changes) {
    if (change.kind === 'key') set(jwk, change.name, put(change.value, (key.jwk as Json)[change.name]));
  }
  let document: unknown = { keys: [jwk] };
  for (const change of changes) {
    if (change.kind !== 'keySet') continue;
    const { keys } = document as { keys: unknown };
    document = keySets[change.how](Array.isArray(keys) ? keys : [], cast, jwk);
  }
  // As it comes over the wire.
  return JSON.parse(JSON.stringify(document));
}
