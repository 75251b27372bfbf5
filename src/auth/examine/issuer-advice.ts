import { assigned, quoted, unquoted } from '../../base/finding.ts';
import type { Context } from './context.ts';

/** What to do about an issuer that is not accepted: most are a near miss. */
export function issuerAdvice({ claims: { iss }, issuers }: Context): string {
  if (typeof iss !== 'string') return 'The token names no issuer ("iss" must be one text).';
  const found = quoted(iss);
  const accepted = issuers.flatMap(({ claims, settings }) =>
    claims.issuers.map((issuer) => ({
      issuer,
      settings,
      says: `it says ${found}, and ${quoted(issuer)} is accepted`,
    })),
  );
  /** The first accepted issuer that has this in common with the one of the token. */
  const nearest = (partOf: (issuer: string) => string | undefined) => {
    const part = partOf(iss);
    return accepted.find(({ issuer }) => part !== undefined && partOf(issuer) === part);
  };
  const twin = nearest((issuer) => issuer.replace(/\/+$/, ''));
  if (twin !== undefined)
    return `The issuer differs only by its trailing slash: ${twin.says}. Set ${assigned([twin.settings.issuer, unquoted(iss)])}`;
  const isEntra = accepted.some(({ issuer }) => issuer.startsWith('https://login.microsoftonline.com'));
  if (isEntra && iss.startsWith('https://sts.windows.net/'))
    return `This is a version 1 token of Entra (${found}). Set "requestedAccessTokenVersion": 2 in the manifest of the API's app registration.`;
  const sibling = nearest((issuer) => URL.parse(issuer)?.host);
  if (sibling !== undefined)
    return `The token comes from another tenant or realm of the same provider: ${sibling.says}. Sign in at that one, or set ${sibling.settings.issuer}.`;
  // The last two names of the host.
  const cousin = nearest((issuer) => URL.parse(issuer)?.hostname.match(/[a-z][^.]*\.[a-z][^.]*$/)?.[0]);
  if (cousin !== undefined)
    return `The token comes from another tenant of the same provider: ${cousin.says}. Sign in at that one, or set ${cousin.settings.origin}.`;
  const { origin, issuer } = issuers[0].settings;
  const change =
    issuers.length > 2
      ? 'Add an entry for it to IDPS_FILE, or let your frontend sign in at one of these.'
      : `Set ${origin} (and ${issuer}) to the provider that your frontend signs in at.`;
  return `The token comes from ${found}, and only ${accepted.map((known) => quoted(known.issuer)).join(', ')} are accepted. ${change}`;
}
