import { type SignKeyObjectInput, sign as signWith } from 'node:crypto';
import { promisify } from 'node:util';
import type { SigningAlgorithm, SigningKey } from './signing-key.ts';

/** RFC 7518 section 3 and RFC 8037, in the words of node:crypto. */
const schemes: Readonly<
  Record<SigningAlgorithm, { hash: string | null; options: Omit<SignKeyObjectInput, 'key'> }>
> = {
  RS256: { hash: 'sha256', options: {} },
  ES256: { hash: 'sha256', options: { dsaEncoding: 'ieee-p1363' } },
  EdDSA: { hash: null, options: {} },
};

const signOnPool = promisify(signWith);

/** Signs the first two parts of a JWT and answers with the third. On Node's thread pool: a signature takes milliseconds. */
export async function sign({ algorithm, privateKey }: SigningKey, text: string): Promise<string> {
  const { hash, options } = schemes[algorithm];
  const signature = await signOnPool(hash, Buffer.from(text), { ...options, key: privateKey });
  return signature.toString('base64url');
}
