import { assigned, type Finding, failed, passed } from '../../base/finding.ts';
import { isHttps } from '../../base/loopback.ts';
import { withoutSecrets } from '../../base/without-password.ts';
import type { Provider } from '../../config/providers.ts';
import { isBehindProxy, ownIssuer } from '../../config/rules.ts';
import type { Config } from '../../config/settings.ts';
import type { ClientAuthentication } from '../../inspection/client-authentication.ts';

/**
 * What the FAPI 2.0 Security Profile (final, February 2025) asks of a resource server, and of POST /token, which is an
 * authorization server for machines, as far as settings and clients decide it. The numbers are those of its sections.
 */
export function fapi2Findings(config: Config, clients: ClientAuthentication | string): readonly Finding[] {
  return [
    senderConstraint(config),
    proofNonce(config),
    ...config.providers.flatMap((provider) => ofProvider(config, provider)),
    ownAddress(config),
    ownAlgorithm(config),
    ownLifetime(config),
    ...ofClients(clients),
    frontend(config),
  ];
}

/** What no setting changes, told with the list: whoever is audited has to know it. */
export const fapi2Notes: readonly string[] = [
  'Met by every service: tokens in the header only, TLS 1.2 or later where the service speaks TLS itself, no "none" and no shared secrets, RSA keys of 2048 bits or more, no token from more than 5 s in the future, an exact issuer and audience.',
  'Behind a proxy the TLS version and the cipher suites are those of the proxy (5.2).',
  'At POST /token an assertion may name its audience in a list, or the address of the endpoint, where the profile knows only the issuer as a text; and one from more than 5 s in the future is refused, where the profile asks for 10 s (5.3.2.1).',
  'Whether a token was taken back is known as far as the provider says so: by back-channel logout, or by introspection within a minute (5.3.4).',
  'What the profile asks of the provider itself (PAR, PKCE, confidential clients) is to be seen to there.',
];

const longestLifetimeSeconds = 3600;
const allowed = ['PS256', 'ES256', 'EdDSA', 'Ed25519'];

function judged(name: string, isMet: boolean, asks: string, found: string, advice: string): Finding {
  return isMet ? passed(name, found) : failed(name, { expected: asks, found, advice });
}

function senderConstraint({ dpop }: Config): Finding {
  return judged(
    'sender constraint',
    dpop === 'required',
    'only tokens bound to a key or certificate of their sender (5.3.4)',
    `DPOP=${dpop}`,
    'Set DPOP=required, and let the provider bind the tokens for this API (DPoP).',
  );
}

function proofNonce({ dpop, dpopNonce }: Config): Finding {
  return judged(
    'proof nonce',
    dpop === 'off' || dpopNonce === 'required',
    'proofs that were not made ahead of time and cannot be used again (6.2)',
    `DPOP_NONCE=${dpopNonce}`,
    'Set DPOP_NONCE=required',
  );
}

function ofProvider(config: Config, provider: Provider): readonly Finding[] {
  const isOnly = config.idpsFile === null;
  const prefix = isOnly ? '' : `${provider.name}: `;
  /** Of what only an entry can have. */
  const member = (name: string) => `"${name}" of "${provider.name}" in IDPS_FILE`;
  const { algorithms, settings, requireAtJwt, audienceClaim, maxTokenLifetimeSeconds: lifetime } = provider;
  const addresses = [
    { url: provider.jwksUrl, setting: settings.origin },
    { url: provider.introspection?.url, setting: member('introspection') },
    { url: provider.signals?.poll?.url, setting: member('events_poll_url') },
  ];
  const plain = addresses.find(({ url }) => url !== undefined && !isHttps(url));
  const fitting = algorithms.filter((algorithm) => allowed.includes(algorithm));
  const isShort = lifetime !== null && lifetime <= longestLifetimeSeconds;
  return [
    judged(
      `${prefix}provider`,
      plain === undefined,
      'TLS on every way to the provider (5.2)',
      withoutSecrets(plain?.url ?? provider.jwksUrl),
      `Set ${plain?.setting} to an address with https.`,
    ),
    judged(
      `${prefix}algorithms`,
      fitting.length === algorithms.length,
      'tokens signed with PS256, ES256 or EdDSA, and nothing else (5.4.1)',
      algorithms.join(', '),
      `Let the provider sign so, and set ${assigned([settings.algorithms, (fitting.length > 0 ? fitting : ['PS256', 'ES256']).join(',')])}`,
    ),
    judged(
      `${prefix}token type`,
      requireAtJwt,
      'tokens that say they are access tokens: explicit types, as RFC 8725 has it (5.4.1)',
      `${isOnly ? 'REQUIRE_AT_JWT=' : 'require_at_jwt: '}${requireAtJwt}`,
      `Where the provider writes "at+jwt" (RFC 9068), set ${assigned([settings.requireAtJwt, 'true'])}`,
    ),
    judged(
      `${prefix}audience`,
      audienceClaim === 'aud',
      'tokens that were issued for this API, as RFC 8725 has it (5.4.1)',
      `"${audienceClaim}"`,
      `Let the provider name this API in "aud", and leave out ${member('audience_claim')}.`,
    ),
    judged(
      `${prefix}token lifetime`,
      isShort,
      `tokens that live for minutes, an hour at most (6.1)`,
      lifetime === null ? 'as long as the provider says' : `${lifetime} s`,
      `As many seconds as the provider gives, up to ${longestLifetimeSeconds}: set ${assigned([settings.maxLifetime, '600'])}`,
    ),
  ];
}

function ownAddress(config: Config): Finding {
  const address = ownIssuer(config);
  const how = isBehindProxy(config) ? 'behind a proxy that speaks TLS' : 'with TLS of its own';
  const isProtected = isHttps(address) && (config.tlsCertFile !== null || isBehindProxy(config));
  return judged(
    'own address',
    isProtected,
    'TLS on every way to the service (5.2)',
    isProtected ? `${address}, ${how}` : address,
    'Set BASE_URL to an address with https, and TLS_CERT_FILE and TLS_KEY_FILE or TRUSTED_PROXIES.',
  );
}

function ownAlgorithm({ tokenSigningAlg }: Config): Finding {
  return judged(
    'own algorithm',
    allowed.includes(tokenSigningAlg),
    'tokens of POST /token signed with PS256, ES256 or EdDSA (5.4.1)',
    `TOKEN_SIGNING_ALG=${tokenSigningAlg}`,
    'Set TOKEN_SIGNING_ALG=ES256',
  );
}

function ownLifetime({ tokenTtlSeconds }: Config): Finding {
  return judged(
    'own lifetime',
    tokenTtlSeconds <= longestLifetimeSeconds,
    'tokens of POST /token that live for minutes, an hour at most (6.1)',
    `TOKEN_TTL_SECONDS=${tokenTtlSeconds}`,
    'Set TOKEN_TTL_SECONDS=600',
  );
}

function ofClients(clients: ClientAuthentication | string): readonly Finding[] {
  const asks = 'clients of POST /token that prove themselves by private_key_jwt or mutual TLS (5.3.2.1)';
  if (typeof clients === 'string')
    return [failed('client secrets', { expected: asks, found: clients, advice: 'Then look again.' })];
  const { clients: all, withSecrets, withRs256 } = clients;
  return [
    judged(
      'client secrets',
      withSecrets === 0,
      asks,
      `${withSecrets} of ${all} client(s) have a secret`,
      '"npx vestibule client list" shows which. Add each anew with its public key ("npx vestibule client add <id> --public-key <file>"), and remove the old one.',
    ),
    judged(
      'client keys',
      withRs256 === 0,
      'assertions signed with PS256, ES256 or EdDSA (5.4.1)',
      `${withRs256} of ${all} client(s) have an RSA key that is not for PS256 alone`,
      'Give those clients a key for ES256 or EdDSA, or one whose JWK says "alg": "PS256".',
    ),
  ];
}

function frontend({ web }: Config): Finding {
  return judged(
    'frontend',
    web === 'off',
    'no clients but confidential ones, and a page in a browser is none (5.3.2.1)',
    `WEB=${web}`,
    'Set WEB=off, and let a backend hold the tokens.',
  );
}
