import { randomUUID } from 'node:crypto';
import { decodeJwt, SignJWT } from 'jose';
import type { SigningKey } from '../../src/tokens/signing-key.ts';

const yearSeconds = 365 * 86_400;

/** A token like this one with a lifetime of a year, as the thief of a key can make it. A new one each time. */
export function livingForAYear(token: string, key: SigningKey): Promise<string> {
  const { exp, jti, ...claims } = decodeJwt(token);
  const signer = new SignJWT({
    ...claims,
    exp: Number(exp) + yearSeconds,
    jti: `${String(jti).split('.', 1)[0]}.${randomUUID()}`,
  });
  const header = { alg: key.algorithm, typ: 'at+jwt', kid: key.kid };
  return signer.setProtectedHeader(header).sign(key.privateKey);
}
