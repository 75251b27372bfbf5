import { constants, createHmac, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { makeKey, type ProviderKey } from './provider.ts';
import { type Case, type Change, type Part, right } from './token-cases.ts';

/** Whose keys and names the generated tokens play with. */
export interface Cast {
  readonly issuer: string;
  readonly audience: string;
  /** Published, unless a change says otherwise. */
  readonly key: ProviderKey;
  readonly other: ProviderKey;
  readonly unpublished: ProviderKey;
  readonly weak: ProviderKey;
  readonly curve: KeyObject;
}

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

/** The token and the key set of a case. */
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
  const goodInput = `${segment(header)}.${segment(claims)}`;
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
    if (change.kind === 'json') bytes[change.part] = reform(bytes[change.part], change.how, change.part);
  }
  const input = `${bytes.header.toString('base64url')}.${bytes.claims.toString('base64url')}`;
  const signature = changes.find((change) => change.kind === 'signature');
  const signed =
    signature === undefined ? rs256(input, cast.key) : forge(signature.how, input, goodInput, cast);
  const segments = [...input.split('.'), signed.toString('base64url')];
  for (const change of changes) {
    if (change.kind === 'segment') segments[change.index] = respell(segments[change.index] ?? '', change.how);
  }
  return segments.join('.');
}

function segment(value: Json): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
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

const rs256 = (input: string, { privateKey }: ProviderKey) => sign('sha256', Buffer.from(input), privateKey);

type Of<K extends Change['kind']> = Extract<Change, { kind: K }>;

function reform(json: Buffer, how: Of<'json'>['how'], part: Part): Buffer {
  const text = json.toString();
  const padded = (length: number) =>
    text.replace(/}$/, `,"padding":"${'x'.repeat(Math.max((length * 3) / 4 - text.length, 0))}"}`);
  const forms: Record<Of<'json'>['how'], () => string | Buffer> = {
    spaces: () => ` \n\t${text}\r\n`,
    array: () => `[${text}]`,
    null: () => 'null',
    text: () => JSON.stringify(text),
    number: () => '1',
    'empty object': () => '{}',
    'byte order mark': () => `\ufeff${text}`,
    'UTF-16': () => Buffer.from(text, 'utf16le'),
    'broken UTF-8': () => Buffer.concat([json.subarray(0, -1), Buffer.from(',"x":"\xff"}', 'latin1')]),
    'trailing comma': () => text.replace(/}$/, ',}'),
    'trailing text': () => `${text}x`,
    deep: () => text.replace(/}$/, `,"deep":${'['.repeat(500)}${']'.repeat(500)}}`),
    'padding to 6 kB': () => padded(part === 'header' ? 1000 : 6000),
    'padding to 9 kB': () => padded(9000),
  };
  return Buffer.from(forms[how]() as string);
}

function respell(text: string, how: Of<'segment'>['how']): string {
  const last = text.slice(-1);
  const forms: Record<Of<'segment'>['how'], () => string> = {
    padding: () => `${text}${'='.repeat((4 - (text.length % 4)) % 4 || 1)}`,
    'other alphabet': () => text.replaceAll('-', '+').replaceAll('_', '/'),
    'leftover bits': () => `${text.slice(0, -1)}${String.fromCharCode(last.charCodeAt(0) + 1)}`,
    'line break': () => `${text.slice(0, 9)}\n${text.slice(9)}`,
    space: () => `${text} `,
    'cut short': () => text.slice(0, -3),
    empty: () => '',
    repeated: () => `${text}.${text}`,
    'dot before': () => `.${text}`,
    'dot after': () => `${text}.`,
  };
  return forms[how]();
}

function forge(how: Of<'signature'>['how'], input: string, goodInput: string, cast: Cast): Buffer {
  const { key, other, unpublished } = cast;
  const signature = rs256(input, key);
  const forms: Record<Of<'signature'>['how'], () => Buffer> = {
    'bit flipped': () => signature.map((byte, index) => (index === 100 ? byte ^ 1 : byte)) as Buffer,
    zeros: () => Buffer.alloc(256),
    'zero byte before': () => Buffer.concat([Buffer.alloc(1), signature]),
    'zero byte after': () => Buffer.concat([signature, Buffer.alloc(1)]),
    'of an unpublished key': () => rs256(input, unpublished),
    'of another published key': () => rs256(input, other),
    RS512: () => sign('sha512', Buffer.from(input), key.privateKey),
    PSS: () =>
      sign('sha256', Buffer.from(input), {
        key: key.privateKey,
        padding: constants.RSA_PKCS1_PSS_PADDING,
        saltLength: 32,
      }),
    'HMAC with the public key': () =>
      createHmac('sha256', key.publicKey.export({ format: 'pem', type: 'spki' }))
        .update(input)
        .digest(),
    'before the change': () => rs256(goodInput, key),
  };
  return Buffer.from(forms[how]());
}

function buildKeySet(changes: readonly Change[], { key, other, weak, curve }: Cast): unknown {
  const jwk: Json = { ...key.jwk };
  for (const change of changes) {
    if (change.kind === 'key') set(jwk, change.name, put(change.value, (key.jwk as Json)[change.name]));
  }
  let document: unknown = { keys: [jwk] };
  const forms: Record<Of<'keySet'>['how'], (keys: readonly unknown[]) => unknown> = {
    'another key beside it': (keys) => ({ keys: [...keys, other.jwk] }),
    'another key before it': (keys) => ({ keys: [other.jwk, ...keys] }),
    'a key of another kind beside it': (keys) => ({ keys: [...keys, curve.export({ format: 'jwk' })] }),
    'a secret beside it': (keys) => ({ keys: [...keys, { kty: 'oct', k: 'c2VjcmV0', kid: '(secret)' }] }),
    'a private key beside it': (keys) => ({ keys: [...keys, other.privateKey.export({ format: 'jwk' })] }),
    'a weak key beside it': (keys) => ({ keys: [...keys, weak.jwk] }),
    'the same key twice': (keys) => ({ keys: [...keys, ...keys] }),
    'its name on another key': (keys) => ({ keys: [...keys, { ...other.jwk, kid: jwk.kid }] }),
    'without its name': ([, ...rest]) => ({ keys: [{ ...jwk, kid: undefined }, ...rest] }),
    'without it': () => ({ keys: [other.jwk] }),
    'null among the keys': (keys) => ({ keys: [null, ...keys] }),
    'a text among the keys': (keys) => ({ keys: [...keys, 'x'] }),
    empty: () => ({ keys: [] }),
    'no list': (keys) => ({ keys: { 0: keys[0], length: 1 } }),
    'more members': (keys) => ({ keys, issuer: 'x', extra: [] }),
  };
  for (const change of changes) {
    if (change.kind !== 'keySet') continue;
    const { keys } = document as { keys: unknown };
    document = forms[change.how](Array.isArray(keys) ? keys : []);
  }
  // As it comes over the wire.
  return JSON.parse(JSON.stringify(document));
}
