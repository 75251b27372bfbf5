import { createHash, randomUUID } from 'node:crypto';
import { forge, type Provider } from './provider.ts';

export const audience = 'https://api.example.org';

/** How many callers there are, and how many tokens go round in the work of tokens seen before: one each. */
export const callers = 2_000;

/**
 * The claims of a usual access token. The callers are the same again and again: a new token is mostly a known
 * caller's next one, and the first sight of a caller would measure the database instead.
 */
function claimsOf(issuer: string, caller: number, changes: object = {}) {
  const now = Math.floor(Date.now() / 1000);
  return {
    iss: issuer,
    sub: `auth0|${createHash('sha256').update(`caller ${caller}`).digest('hex').slice(0, 24)}`,
    aud: audience,
    // One of the peers allows no clock to be ahead of its own.
    iat: now - 60,
    // Past the end of the longest run.
    exp: now + 4 * 3600,
    scope: 'openid profile email read:records write:records',
    azp: 'x5Yc1sWbJ0pQm3TqVd8LrKz2NfHg7EoU',
    jti: randomUUID(),
    ...changes,
  };
}

export function goodToken(provider: Provider): Promise<string> {
  return provider.sign(claimsOf(provider.issuer, 0));
}

/** The token of one caller, with further claims. */
export function signToken(provider: Provider, caller: number, claims: object): Promise<string> {
  return provider.sign(claimsOf(provider.issuer, caller, claims));
}

/** Tokens that every peer must refuse before it is measured. */
export async function badTokens(provider: Provider): Promise<Readonly<Record<string, string>>> {
  const past = Math.floor(Date.now() / 1000) - 600;
  const claims = (changes: object) => claimsOf(provider.issuer, 0, changes);
  return {
    'signed by another key': await forge(claims({}), provider.algorithm),
    'for another audience': await provider.sign(claims({ aud: 'https://other.example.org' })),
    'of another issuer': await provider.sign(claims({ iss: 'http://127.0.0.1:9' })),
    expired: await provider.sign(claims({ iat: past - 600, exp: past })),
  };
}

/**
 * Signs so many tokens, of all callers in turn. A signature takes milliseconds and runs on a thread of the pool, so
 * several are under way at once and every core has work.
 */
export async function signTokens(provider: Provider, count: number): Promise<readonly string[]> {
  const tokens = new Array<string>(count);
  let next = 0;
  const signer = async () => {
    while (next < count) {
      const index = next++;
      tokens[index] = await provider.sign(claimsOf(provider.issuer, index % callers));
    }
  };
  await Promise.all(Array.from({ length: 16 }, signer));
  return tokens;
}
