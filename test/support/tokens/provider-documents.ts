import { randomUUID } from 'node:crypto';
import { SignJWT } from 'jose';
import { canaryClaims } from '../faults/canaries.ts';
import type { Claims, ProviderKey, TestProvider } from './provider.ts';

/** The audience of logout tokens in these tests. */
export const webClient = 'the-frontend';
export const canarySession = 'session-snufflepuffin';

/** What no service knows. */
export const extension = 'urn:example:extension';

const logoutEvent = 'http://schemas.openid.net/event/backchannel-logout';

/** A document that is signed as the provider signs; undefined removes a claim or a member of the header. */
export function sign(claims: Claims, header: Claims, { kid, privateKey }: ProviderKey): Promise<string> {
  const present = (all: Claims) =>
    Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
  return new SignJWT(present(claims))
    .setProtectedHeader({ alg: 'RS256', kid, ...present(header) } as { alg: string })
    .sign(privateKey, { crit: { [extension]: true } });
}

/** A logout token as the provider sends it about the caller of these tests. `changes` are what a test is about. */
export function logoutToken(
  provider: TestProvider,
  changes: Claims = {},
  header: Claims = {},
  key = provider.key,
): Promise<string> {
  const now = Math.floor((Date.now() + provider.aheadMs) / 1000);
  const about = {
    iss: provider.origin,
    aud: webClient,
    sub: canaryClaims.sub,
    events: { [logoutEvent]: {} },
  };
  const claims = { ...about, iat: now, exp: now + 120, jti: randomUUID(), ...changes };
  return sign(claims, { typ: 'logout+jwt', ...header }, key);
}
