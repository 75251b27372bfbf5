/** What to do about a document that could not be had, by the system's own word for the reason. */
export function fetchAdvice(detail: string, settings: string): string {
  const found = reasons.find(([reason]) => reason.test(detail));
  return found === undefined ? `Check ${settings}.` : found[1].replace('SETTINGS', settings);
}

const reasons: readonly (readonly [RegExp, string])[] = [
  [
    /ENOTFOUND|EAI_AGAIN/,
    'There is no such host. Check SETTINGS, and whether this machine can resolve names.',
  ],
  [/ECONNREFUSED/, 'Nobody listens there. Check SETTINGS, and whether the provider runs.'],
  [
    /SELF_SIGNED|UNABLE_TO_VERIFY|UNABLE_TO_GET_ISSUER|SELF-SIGNED/,
    'Nobody whom this machine trusts vouches for its certificate. Name the one who does in NODE_EXTRA_CA_CERTS.',
  ],
  [/CERT_HAS_EXPIRED/, 'Its certificate has expired. Renew it at the provider.'],
  [
    /ALTNAME_INVALID/,
    'Its certificate is for another name. Check SETTINGS: use the name that the certificate has.',
  ],
  [
    /EPROTO|ERR_SSL|WRONG_VERSION/,
    'It speaks no TLS at that port. Check SETTINGS: http or https, and the port.',
  ],
  [
    /no complete answer/,
    'It does not answer in time. Check SETTINGS, and whether a firewall or a proxy is in between.',
  ],
  [
    /status 30\d/,
    'It sends us elsewhere, and keys are not fetched from where somebody sends us. Set SETTINGS to the final address.',
  ],
  [/status 40[13]/, 'It wants to know who asks, and keys are public. Check SETTINGS.'],
  [/status 404/, 'There is nothing at that address. Check SETTINGS.'],
  [/status 5\d\d/, 'The provider has trouble of its own. Try again later.'],
  [/not JSON/, 'What is there is a page or something else. Check SETTINGS.'],
];
