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

/** A kind of document as a provider sends it about the caller of these tests. */
function documentOf(typ: string, claimsOf: (now: number, provider: TestProvider) => Claims) {
  /** `changes` are what a test is about. */
  return (
    provider: TestProvider,
    changes: Claims = {},
    header: Claims = {},
    key = provider.key,
  ): Promise<string> => {
    const now = Math.floor((Date.now() + provider.aheadMs) / 1000);
    const claims = { iss: provider.origin, iat: now, jti: randomUUID(), ...claimsOf(now, provider) };
    return sign({ ...claims, ...changes }, { typ, ...header }, key);
  };
}

export const logoutToken = documentOf('logout+jwt', (now) => ({
  aud: webClient,
  exp: now + 120,
  sub: canaryClaims.sub,
  events: { [logoutEvent]: {} },
}));

export const caep = 'https://schemas.openid.net/secevent/caep/event-type';
export const risc = 'https://schemas.openid.net/secevent/risc/event-type';

/** A security event token about a session that was revoked. */
export const securityEvent = documentOf('secevent+jwt', (now, { origin }) => ({
  aud: receiver,
  sub_id: { format: 'iss_sub', iss: origin, sub: canaryClaims.sub },
  events: { [`${caep}/session-revoked`]: { event_timestamp: now } },
}));
