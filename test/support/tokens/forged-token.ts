import { createHmac, type KeyObject, sign } from 'node:crypto';

/** Makes the third part of a token from the first two. */
export type Signer = (input: string) => Buffer;

export const rs256 =
  (key: KeyObject): Signer =>
  (input) =>
    sign('sha256', Buffer.from(input), key);

export const hmac =
  (hash: 'sha256' | 'sha384' | 'sha512', secret: string | Buffer): Signer =>
  (input) =>
    createHmac(hash, secret).update(input).digest();

type Json = Readonly<Record<string, unknown>>;
type ForgingKey = { readonly kid: string; readonly privateKey: KeyObject };

/** An object becomes JSON; text and bytes are taken as they are, because libraries refuse to write what is wrong. */
export type Part = Json | string | Buffer;

export function base64url(part: Part): string {
  const isRaw = typeof part === 'string' || Buffer.isBuffer(part);
  return Buffer.from(isRaw ? (part as string) : JSON.stringify(part)).toString('base64url');
}

/** A token in compact form of any header and payload whatsoever, with a signature that fits them. */
export function compact(header: Part, payload: Part, signer: Signer): string {
  const input = `${base64url(header)}.${base64url(payload)}`;
  return `${input}.${signer(input).toString('base64url')}`;
}

/** Signed with RS256 by a key of the provider, under its kid unless the header has another. */
export function forged({ kid, privateKey }: ForgingKey, payload: Part, header: Json = {}): string {
  return compact({ alg: 'RS256', kid, ...header }, payload, rs256(privateKey));
}

export function split(token: string): [header: string, payload: string, signature: string] {
  const [header = '', payload = '', signature = ''] = token.split('.');
  return [header, payload, signature];
}

/** The header and the claims of a token, which is not checked. */
export function partsOf(token: string) {
  const [header, claims] = split(token);
  return { header: decoded(header), claims: decoded(claims) };
}

function decoded(part: string): Record<string, unknown> {
  return JSON.parse(Buffer.from(part, 'base64url').toString());
}

/** The same token with other claims, under the signature it had. */
export function withClaims(token: string, changes: Json): string {
  const [header, claims, signature] = split(token);
  return [header, base64url({ ...decoded(claims), ...changes }), signature].join('.');
}

export function withBrokenSignature(token: string): string {
  const [header, claims, signature] = split(token);
  const bytes = Buffer.from(signature, 'base64url');
  bytes[50] = (bytes[50] ?? 0) ^ 1;
  return [header, claims, base64url(bytes)].join('.');
}
