import { quoted, unquoted } from '../../base/finding.ts';
import { chooseIssuer, type TrustedIssuer } from '../issuers.ts';
import { judged, shown, tried } from './step.ts';

/** An issuer of whom nothing is asked but its rules. */
export interface NamedRules extends Omit<TrustedIssuer, 'keys'> {
  readonly who: 'the provider' | 'this service';
}

/** Which issuer a token chooses; the provider stands in for one that is unknown, so that there is more to say. */
export function examineIssuer<Rules extends NamedRules>(
  iss: unknown,
  issuers: readonly [provider: Rules, ...others: Rules[]],
) {
  const { value: chosen, code } = tried(() => chooseIssuer(issuers, iss));
  const accepted = issuers.flatMap(({ claims }) => claims.issuers);
  const step = judged('issuer', code, `${quoted(iss)}: ${chosen?.who}`, {
    expected: `one of ${accepted.map(quoted).join(', ')}`,
    found: shown(iss),
    advice: issuerCause(iss, accepted),
  });
  return { step, issuer: chosen ?? issuers[0], isTrusted: chosen !== null };
}

function issuerCause(iss: unknown, accepted: readonly string[]): string {
  if (typeof iss !== 'string') return 'The token names no issuer ("iss" must be one text).';
  const plain = (text: string) => text.replace(/\/+$/, '');
  const found = quoted(iss);
  const sameButForSlash = accepted.find((issuer) => plain(issuer) === plain(iss));
  if (sameButForSlash !== undefined) {
    return `The issuer differs only by its trailing slash: the token says ${found}, and ${quoted(sameButForSlash)} is accepted. Set IDP_ISSUER=${unquoted(iss)}`;
  }
  if (/^https:\/\/sts\.windows\.net\//.test(iss) && accepted.some(isEntra)) {
    return `This is a version 1 token of Entra (${found}). Set "requestedAccessTokenVersion": 2 in the manifest of the API's app registration.`;
  }
  const sibling = accepted.find((issuer) => isSameHost(issuer, iss));
  if (sibling !== undefined) {
    return `The token comes from another tenant or realm of the same provider: it says ${found}, and ${quoted(sibling)} is accepted. Sign in at that one, or set IDP_ISSUER.`;
  }
  const cousin = accepted.find((issuer) => isSameDomain(issuer, iss));
  if (cousin !== undefined) {
    return `The token comes from another tenant of the same provider: it says ${found}, and ${quoted(cousin)} is accepted. Sign in at that one, or set IDP_ORIGIN.`;
  }
  return `The token comes from ${found}, and only ${accepted.map(quoted).join(', ')} are accepted. Set IDP_ORIGIN (and IDP_ISSUER) to the provider that your frontend signs in at.`;
}

function isEntra(issuer: string): boolean {
  return issuer.startsWith('https://login.microsoftonline.com');
}

function isSameHost(one: string, other: string): boolean {
  const host = URL.parse(one)?.host;
  return host !== undefined && host === URL.parse(other)?.host;
}

/** The last two names of a host: enough to tell a tenant's neighbour from a stranger. */
function isSameDomain(one: string, other: string): boolean {
  const domain = (text: string) => URL.parse(text)?.hostname.match(/[a-z][^.]*\.[a-z][^.]*$/)?.[0];
  return domain(one) !== undefined && domain(one) === domain(other);
}
