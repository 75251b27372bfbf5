/** A token in compact form, taken apart and put together again without any check. */
type Json = Readonly<Record<string, unknown>>;

export function partsOf(token: string) {
  const [header = '', claims = '', signature = ''] = token.split('.');
  return { header: decode(header), claims: decode(claims), signature };
}

/** The same token with other claims, under the signature it had. */
export function withClaims(token: string, changes: Json): string {
  const [header, claims = '', signature] = token.split('.');
  return [header, encode({ ...decode(claims), ...changes }), signature].join('.');
}

/** The same token with one bit of its signature turned. */
export function withBrokenSignature(token: string): string {
  const [header, claims, signature = ''] = token.split('.');
  const bytes = Buffer.from(signature, 'base64url');
  bytes[100] = (bytes[100] ?? 0) ^ 1;
  return [header, claims, bytes.toString('base64url')].join('.');
}

export function encode(value: Json): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}

function decode(part: string): Record<string, unknown> {
  return JSON.parse(Buffer.from(part, 'base64url').toString());
}
