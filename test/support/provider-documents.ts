import { randomUUID } from 'node:crypto';
import { SignJWT } from 'jose';
import { canaryClaims } from './canaries.ts';
import type { Claims, ProviderKey, TestProvider } from './provider.ts';

/** For whom logout tokens are in these tests. */
export const webClient = 'the-frontend';
/** For whom security events are. */
export const receiver = 'https://receiver.example';
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

/** A logout token as a provider sends it; `changes` are what a test is about. */
export function logoutToken(
  provider: TestProvider,
  changes: Claims = {},
  header: Claims = {},
  key = provider.key,
): Promise<string> {
  const now = Math.floor((Date.now() + provider.aheadMs) / 1000);
  const claims = {
    iss: provider.origin,
    aud: webClient,
    iat: now,
    exp: now + 120,
    jti: randomUUID(),
    sub: canaryClaims.sub,
    events: { [logoutEvent]: {} },
    ...changes,
  };
  return sign(claims, { typ: 'logout+jwt', ...header }, key);
}

export const caep = 'https://schemas.openid.net/secevent/caep/event-type';
export const risc = 'https://schemas.openid.net/secevent/risc/event-type';

/** A security event token about a session that was revoked. */
export function securityEvent(
  provider: TestProvider,
  changes: Claims = {},
  header: Claims = {},
  key = provider.key,
): Promise<string> {
  const now = Math.floor((Date.now() + provider.aheadMs) / 1000);
  const claims = {
    iss: provider.origin,
    aud: receiver,
    iat: now,
    jti: randomUUID(),
    sub_id: { format: 'iss_sub', iss: provider.origin, sub: canaryClaims.sub },
    events: { [`${caep}/session-revoked`]: { event_timestamp: now } },
    ...changes,
  };
  return sign(claims, { typ: 'secevent+jwt', ...header }, key);
}
