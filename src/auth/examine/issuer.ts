import { assigned, quoted, unquoted } from '../../base/finding.ts';
import type { IssuerSettingNames } from '../../base/provider-rules.ts';
import { chooseIssuer, type TrustedIssuer } from '../issuers.ts';
import { judged, shown, tried } from './step.ts';

/** An issuer of whom nothing is asked but its rules. */
export interface NamedRules extends Omit<TrustedIssuer, 'keys'> {
  /** "the provider", one of several by its name, or "this service". */
  readonly who: string;
  readonly settings: IssuerSettingNames;
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
    advice: issuerCause(iss, issuers),
  });
  return { step, issuer: chosen ?? issuers[0], isTrusted: chosen !== null };
}

function issuerCause(iss: unknown, issuers: readonly [NamedRules, ...NamedRules[]]): string {
  if (typeof iss !== 'string') return 'The token names no issuer ("iss" must be one text).';
  const plain = (text: string) => text.replace(/\/+$/, '');
  const found = quoted(iss);
  const accepted = issuers.flatMap(({ claims, settings }) =>
    claims.issuers.map((issuer) => ({ issuer, settings })),
  );
  /** The first that is like the one of the token, in one sentence of what is accepted. */
  const nearest = (isLike: (issuer: string) => boolean) => {
    const near = accepted.find(({ issuer }) => isLike(issuer));
    return near && { ...near, says: `it says ${found}, and ${quoted(near.issuer)} is accepted` };
  };
  const sameButForSlash = nearest((issuer) => plain(issuer) === plain(iss));
  if (sameButForSlash !== undefined) {
    return `The issuer differs only by its trailing slash: the token says ${found}, and ${quoted(sameButForSlash.issuer)} is accepted. Set ${assigned([sameButForSlash.settings.issuer, unquoted(iss)])}`;
  }
  if (/^https:\/\/sts\.windows\.net\//.test(iss) && nearest(isEntra) !== undefined) {
    return `This is a version 1 token of Entra (${found}). Set "requestedAccessTokenVersion": 2 in the manifest of the API's app registration.`;
  }
  const sibling = nearest((issuer) => isSameHost(issuer, iss));
  if (sibling !== undefined) {
    return `The token comes from another tenant or realm of the same provider: ${sibling.says}. Sign in at that one, or set ${sibling.settings.issuer}.`;
  }
  const cousin = nearest((issuer) => isSameDomain(issuer, iss));
  if (cousin !== undefined) {
    return `The token comes from another tenant of the same provider: ${cousin.says}. Sign in at that one, or set ${cousin.settings.origin}.`;
  }
  const [{ settings }] = issuers;
  const change =
    issuers.length > 2
      ? 'Add an entry for it to IDPS_FILE, or let your frontend sign in at one of these.'
      : `Set ${settings.origin} (and ${settings.issuer}) to the provider that your frontend signs in at.`;
  return `The token comes from ${found}, and only ${accepted.map(({ issuer }) => quoted(issuer)).join(', ')} are accepted. ${change}`;
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
