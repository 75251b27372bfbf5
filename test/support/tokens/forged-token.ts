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

/** An object becomes JSON; text and bytes are taken as they are, because libraries refuse to write what is wrong. */
export type Part = Readonly<Record<string, unknown>> | string | Buffer;

export function base64url(part: Part): string {
  const isRaw = typeof part === 'string' || Buffer.isBuffer(part);
  return Buffer.from(isRaw ? (part as string) : JSON.stringify(part)).toString('base64url');
}

/** A token in compact form of any header and payload whatsoever, with a signature that fits them. */
export function compact(header: Part, payload: Part, signer: Signer): string {
  const input = `${base64url(header)}.${base64url(payload)}`;
  return `${input}.${signer(input).toString('base64url')}`;
}

/** The three parts of a token. */
export function split(token: string): [header: string, payload: string, signature: string] {
  const [header = '', payload = '', signature = ''] = token.split('.');
  return [header, payload, signature];
}
