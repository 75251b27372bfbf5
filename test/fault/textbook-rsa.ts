import { createHash, generatePrimeSync } from 'node:crypto';
import type { JWK } from 'jose';
import { base64url, compact, type Signer } from '../support/tokens/forged-token.ts';

/**
 * RSA by hand, with numbers that libraries refuse: any number of primes of any size, and any exponent.
 * Its signatures are right, so that a refusal is about the key and nothing else.
 */
export interface TextbookKey {
  readonly jwk: JWK;
  token(claims: Readonly<Record<string, unknown>>): string;
}

export function textbookKey(kid: string, primes: readonly bigint[], exponent = 65_537n): TextbookKey {
  const modulus = product(primes);
  const length = Math.ceil(modulus.toString(16).length / 2);
  const sign: Signer = (input) => {
    const message = toBigInt(encodedDigest(input, length));
    const parts = primes.map((prime) => power(message, inverse(exponent, prime - 1n), prime));
    return toBuffer(remainderTheorem(parts, primes), length);
  };
  return {
    jwk: {
      kty: 'RSA',
      kid,
      use: 'sig',
      alg: 'RS256',
      n: toBuffer(modulus, length).toString('base64url'),
      e: toBuffer(exponent).toString('base64url'),
    },
    token: (claims) => compact({ alg: 'RS256', kid }, claims, sign),
  };
}

/** With an exponent of 1 the padded message is its own signature. */
export function selfSignedToken(key: JWK, claims: Readonly<Record<string, unknown>>): string {
  const length = Buffer.from(String(key.n), 'base64url').length;
  const input = `${base64url({ alg: 'RS256', kid: key.kid })}.${base64url(claims)}`;
  return `${input}.${encodedDigest(input, length).toString('base64url')}`;
}

/** Primes whose product has exactly so many bits; their `- 1` has no factor in common with the exponent. */
export function primesOf(bits: number, count = 2): bigint[] {
  const primes = Array.from({ length: count - 1 }, () => fittingPrime(Math.floor(bits / count)));
  const left = bits - bitLength(product(primes));
  for (;;) {
    const all = [...primes, fittingPrime(left)];
    if (bitLength(product(all)) === bits) return all;
    const longer = [...primes, fittingPrime(left + 1)];
    if (bitLength(product(longer)) === bits) return longer;
  }
}

function fittingPrime(bits: number): bigint {
  for (;;) {
    const prime = generatePrimeSync(bits, { bigint: true });
    if ((prime - 1n) % 65_537n !== 0n) return prime;
  }
}

function bitLength(number: bigint): number {
  return number.toString(2).length;
}

/** EMSA-PKCS1-v1_5 with SHA-256 (RFC 8017 section 9.2). */
function encodedDigest(input: string, length: number): Buffer {
  const prefix = Buffer.from('3031300d060960864801650304020105000420', 'hex');
  const info = Buffer.concat([prefix, createHash('sha256').update(input).digest()]);
  const padding = Buffer.alloc(length - info.length - 3, 0xff);
  return Buffer.concat([Buffer.from([0, 1]), padding, Buffer.from([0]), info]);
}

function remainderTheorem(remainders: readonly bigint[], primes: readonly bigint[]): bigint {
  const all = product(primes);
  const terms = primes.map((prime, index) => {
    const others = all / prime;
    return (remainders[index] as bigint) * others * inverse(others, prime);
  });
  return terms.reduce((sum, term) => (sum + term) % all, 0n);
}

function inverse(value: bigint, modulus: bigint): bigint {
  let [a, b, x, y] = [((value % modulus) + modulus) % modulus, modulus, 1n, 0n];
  while (b > 0n) [a, b, x, y] = [b, a % b, y, x - (a / b) * y];
  return ((x % modulus) + modulus) % modulus;
}

function power(base: bigint, exponent: bigint, modulus: bigint): bigint {
  let result = 1n;
  for (let [factor, left] = [base % modulus, exponent]; left > 0n; left >>= 1n) {
    if (left & 1n) result = (result * factor) % modulus;
    factor = (factor * factor) % modulus;
  }
  return result % modulus;
}

function product(numbers: readonly bigint[]): bigint {
  return numbers.reduce((all, number) => all * number, 1n);
}

function toBigInt(bytes: Buffer): bigint {
  return BigInt(`0x${bytes.toString('hex')}`);
}

function toBuffer(number: bigint, length = 0): Buffer {
  const hex = number.toString(16);
  const even = hex.length % 2 === 0 ? hex : `0${hex}`;
  return Buffer.from(even.padStart(length * 2, '0'), 'hex');
}
