import type { StepName } from '../auth/trace.ts';
import { roughDuration } from '../base/duration.ts';
import { describe, type ErrorCode, type Refusal, type RefusalOptions } from '../base/errors.ts';
import { assigned, type Finding, quoted } from '../base/finding.ts';
import { isJsonObject } from '../base/strict-json.ts';
import {
  adviceByLooks,
  idTokenAdvice,
  issuerAdvice,
  looksLikeIdToken,
  purposeAdvice,
  requiredShown,
  shown,
  shownTime,
} from './examine/advice.ts';
import type { ExaminedIssuer, TraceContext } from './examine/context.ts';

/** What was found | what was expected | what to do. The facts stand in braces. */
const failures = {
  settings_invalid: '{mistake} || See docs/config.md for every setting.',
  collections_invalid: '{mistake} || See docs/collections.md for how to declare one.',
  secret_unreadable:
    '{mistake} || See docs/runbooks.md for what can still be done ("The master secret is lost").',
  secret_foreign:
    'another | the master secret that the database was made with | Set MASTER_SECRET or MASTER_SECRET_FILE to that secret, or DATABASE_URL to the database of this secret.',
  database_unusable: '{detail} | {kind} answers | {advice}',
  schema_unreleased: '{mistake} || See "Upgrade and roll back" in docs/operations.md.',
  schema_newer:
    'version {version} | version {newest} or less | A newer release has migrated it. Start a release at least as new as that one.',
  migration_forbidden: '{found} | a role that can bring the schema to version {newest} | {advice}',
  writes_forbidden:
    'the service can read, but not serve: {found} | a database role that can also write | {advice}',
  records_breaking:
    '{collections} | records that fit the declared collections | Change the declarations so that the records fit, or start once with "npx vestibule serve --allow-breaking-schemas".',
  clients_foreign:
    '{ids} | clients that were written by this service | They were changed in the database without the master secret, so the service ignores them. Find out who changed them, then remove each with "npx vestibule client remove <id> --yes" and add it again.',
  webhook_foreign:
    '{id} is not genuine | a webhook that was written by this service | It was changed in the database without the master secret, so the service sends nothing to it. Find out who changed it, then remove it with "npx vestibule webhook remove {id} --yes" and add it again.',
  webhook_forbidden: 'nothing can be sent to {id} || {fault}',
  certificate_unreadable: '{mistake} || Check TLS_CERT_FILE and TLS_KEY_FILE.',
  certificate_not_valid:
    'valid from {from} until {until} | a certificate that is valid now ({today}) | Write a renewed certificate to TLS_CERT_FILE and TLS_KEY_FILE, and send the service a SIGHUP.',
  certificate_names:
    '{names} | {host} (the host of BASE_URL) | Get a certificate for that name, or set BASE_URL to a name that the certificate has.',
  proxy_without_https:
    '{address} | a BASE_URL with https | With TRUSTED_PROXIES the service accepts only requests that reached the proxy over https. Set BASE_URL to the address that callers use.',
  proxy_out_of_reach:
    'HOST={host} and proxies elsewhere | a HOST that the proxy can reach, or a proxy on this machine (127.0.0.1) | Set HOST=0.0.0.0, or add 127.0.0.1 to TRUSTED_PROXIES.',
  port_privileged:
    'this machine cannot listen there (EACCES) | {place} is free | Only an administrator may listen on ports below 1024. Choose a {setting} above, or allow it (CAP_NET_BIND_SERVICE).',
  host_not_here:
    'this machine cannot listen there ({fault}) | {place} is free | Set {hostSetting} to an address of this machine, for example {hostSetting}=127.0.0.1',
  port_taken:
    'another program, or a service with another database, listens there (OPS_PORT: {says}) | {place} is free | Stop it ("lsof -i :{port}" shows it), or choose another {setting}',
  service_not_ready:
    'this service says: {says} | ready | See its log; the checks above show what is wrong now.',
  discovery_unreachable: '{message} | a discovery document at {url} | {advice}',
  key_address_missing:
    'no "jwks_uri" | {expected} | Look up the address of its keys (JWKS) in the documentation of the provider.',
  key_address_differs: '{found} | {expected} | Set {change}',
  clock_differs:
    "ours is {distance} the provider's | less than {limit} s between our clock and the provider's | Synchronise the clock of this machine (NTP): the expiry of tokens depends on it.",
} as const;

const warnings = {
  erasure_log_missing:
    'ERASURE_LOG is not set, so a restored backup brings back callers who were erased after it | a file on each machine that records every erasure | Set ERASURE_LOG to a file that outlives the database, best on another disk.',
  secret_exposed:
    'every user of this machine can open the file {file} (MASTER_SECRET_FILE) | a file that only the user of the service can read | Run: chmod o= {file}',
  folder_exposed:
    'every user of this machine can write to the folder {folder} (DATABASE_URL) | a folder that only the user of the service can write to | Run: chmod o-w {folder}',
  tallies_wrong:
    'wrong: {parents} | tallies that equal the number of records under each parent | Writes during the check can be the cause: run it again. Otherwise change a declaration, for example its title, and start the service: it then counts again. If no other program has changed the database, this is a bug of Vestibule: please report it.',
  copies_left:
    'a caller was erased since the file was last rewritten | no copies of their records left in the database file | "serve" rewrites a small file within the hour. For a large one run "npx vestibule scrub" at a time when writes may wait.',
  webhook_disabled:
    '{id} is disabled ({disabledBecause}) || When its receiver works again, run "npx vestibule webhook enable {id}"; or remove it.',
  webhook_failing:
    'deliveries have failed since {since} ({lastFailure}) | a receiver of {id} that accepts deliveries | Test it with "npx vestibule webhook test {id}". After five days it is disabled.',
  webhook_dead_letters:
    '{id} has {letters} || When its receiver works again, run "npx vestibule webhook replay {id} --dead".',
  certificate_ends:
    '{found} | more than {days} days | Write a renewed certificate to TLS_CERT_FILE and TLS_KEY_FILE, and send the service a SIGHUP.',
  port_differs:
    '{address} | port {port} (PORT) in BASE_URL | Set BASE_URL to the address that callers use, unless port forwarding connects the two ports.',
  frontend_missing:
    'none | the origin of a frontend in CORS_ORIGINS | Browsers let only pages of {own} call the API. Set CORS_ORIGINS=https://www.example.org to the origin of your frontend.',
  discovery_missing:
    '{found} | a discovery document at {url} | Set {setting} to the issuer as the provider shows it (Keycloak: https://host/realms/<realm>; Entra: https://login.microsoftonline.com/<tenant id>/v2.0).',
  binding_unannounced:
    '{found} | "dpop_signing_alg_values_supported" with one of {algorithms} | {effect}. If the provider does not bind the tokens for this API to keys, turn that on there, or set DPOP=on',
  keys_withdrawn:
    '{found} | only keys that are safe to use | The provider should withdraw the others. The service does not use them.',
} as const;

const texts = { ...failures, ...warnings };
type Code = keyof typeof texts;
type FactsIn<Text> = Text extends `${string}{${infer Name}}${infer Rest}` ? Name | FactsIn<Rest> : never;
type Facts<Of extends Code> = Readonly<Record<FactsIn<(typeof texts)[Of]>, unknown>>;

export function finding<Of extends Code>(name: string, code: Of, facts: Facts<Of>): Finding {
  const known: Readonly<Record<string, unknown>> = facts;
  const [found = '', expected = '', advice = ''] = texts[code]
    .split('|')
    .map((text) => text.trim().replaceAll(/\{(\w+)\}/g, (_, fact: string) => String(known[fact])));
  const result = code in warnings ? 'warn' : 'fail';
  return { name, result, code, expected: expected === '' ? null : expected, found, advice };
}

/** A step of a verification that ended with this refusal. */
export function refusedStep(step: StepName, refusal: Refusal, view: View, context: TraceContext) {
  const { code, options } = refusal;
  const [found, expected] = view;
  const advice = refusals[code]?.(context, step, options) ?? describe(code).sentence;
  return { name: step, result: 'fail', code, expected, found, advice } as const;
}

type View = readonly [found: string, expected: string];
type Advice = (context: TraceContext, step: StepName, why: RefusalOptions) => string;

/** What to do about a refused token, by the code that the service answers with. */
const refusals: Partial<Record<ErrorCode, Advice>> = {
  authorization_malformed: ({ text }) => adviceByLooks(text),
  headers_too_large: ({ text }) => adviceByLooks(text),
  token_too_large: ({ text }) => adviceByLooks(text),
  token_malformed({ text, header }, step) {
    if (step === 'shape') return adviceByLooks(text);
    return header.kid === undefined
      ? 'The first part of the token is not JSON: it was cut off or changed on the way.'
      : 'The name of the key ("kid") is not a text, or longer than 512 characters.';
  },
  algorithm_not_allowed({ header, issuer: { algorithms, settings } }) {
    const alg = typeof header.alg === 'string' ? header.alg : '';
    if (/^HS\d+$/.test(alg))
      return `The token is signed with a shared secret (${alg}): every service that can check such a token can also forge it. Set the provider to RS256 for this API.`;
    if (/^none$/i.test(alg)) return 'The token is not signed at all (alg "none").';
    if (/^(RS|PS|ES)(256|384|512)$|^EdDSA$|^Ed25519$/.test(alg))
      return `The token is signed with ${alg}, which ${settings.algorithms} does not name. Configure the provider to use another algorithm, or set ${assigned([settings.algorithms, [...algorithms, alg].join(',')])}`;
    return `The token is signed with ${shown(header.alg)}, which is never accepted. Configure the provider to sign with RS256.`;
  },
  header_not_supported: () =>
    'The token requires an extension ("crit" or "b64") that is not supported. Configure the provider to issue tokens without it.',
  issuer_mismatch: issuerAdvice,
  token_type_not_allowed({ header, claims, issuer }, step) {
    if (step === 'header') return 'The type of the token ("typ") is not a text.';
    if (step === 'use')
      return `Access tokens of this provider have ${requiredShown(issuer)}, and this one does not: it is most likely an ID token. Send the access token.`;
    if (step === 'purpose') return purposeAdvice(claims);
    const { requireAtJwt: setting } = issuer.settings;
    return header.typ === undefined || /^(application\/)?jwt$/i.test(String(header.typ))
      ? `Only tokens with "typ": "at+jwt" are accepted (${setting}), and this one has another type. Configure the provider to write it (RFC 9068), or set ${assigned([setting, 'false'])}`
      : `This is not an access token: its "typ" is ${shown(header.typ)}. Send the access token.`;
  },
  keys_unavailable: ({ issuer }, _step, { fault }) => keysAdvice(issuer, fault),
  storage_unavailable: ({ issuer }, step, { detail, fault }) =>
    step === 'key'
      ? keysAdvice(issuer, fault)
      : `The token is valid, but the database cannot be read (${detail}). ${connectionAdvice(fault, 'DATABASE_URL')}`,
  key_unknown({ header, keys }) {
    const set = keys?.set.keys ?? [];
    const { kid } = header;
    if (kid === undefined)
      return `The token names no key ("kid"), and the issuer publishes ${set.length} keys. Configure the provider to write "kid".`;
    const named = set.find((key) => key.kid === kid);
    return named === undefined
      ? `The issuer publishes no usable key ${quoted(kid)}: the provider has rotated it, or the token comes from another environment of the provider. Sign in again.`
      : `The key ${quoted(kid)} is for ${named.algorithms.join(', ')}, but "alg" of the token is ${header.alg}.`;
  },
  signature_invalid: () =>
    'The signature does not fit: the token was edited after it was signed, or signed with another key of the same name. Get a new one from the provider.',
  proof_required: () =>
    'Only tokens that are bound to a key are accepted here (DPOP is "required"). Ask the provider for the token with a DPoP proof, or set DPOP=on.',
  token_bound({ claims: { cnf } }) {
    return isJsonObject(cnf) && 'jkt' in cnf
      ? 'The token is bound to a key (DPoP), and this service does not accept it. Set DPOP=on. If it is on, "cnf" must have exactly one member, "jkt": a SHA-256 in base64url.'
      : 'The token is bound in a way that this service cannot check, for example to a certificate (mutual TLS). Disable that for this API at the provider, or use DPoP.';
  },
  expiry_missing: () =>
    'The token never expires (no "exp"), and such a token is not accepted. Configure the provider to issue tokens with "exp".',
  token_expired({ claims, nowSeconds }) {
    const exp = Number(claims.exp);
    return `The token expired ${roughDuration(nowSeconds - exp)} ago (${shownTime(exp)}). Get a new one.`;
  },
  token_not_yet_valid({ claims, nowSeconds }) {
    const start = Math.max(Number(claims.nbf ?? 0), Number(claims.iat ?? 0));
    return `The token becomes valid only in ${roughDuration(start - nowSeconds)} (${shownTime(start)}): the clock of this machine or of the provider is wrong. "npx vestibule doctor" compares them.`;
  },
  token_lifetime_too_long({ claims: { exp, iat }, issuer }) {
    const lifetime =
      iat === undefined
        ? 'does not say when it was issued ("iat")'
        : `lives for ${roughDuration(Number(exp) - Number(iat))}`;
    return `The token ${lifetime}, and ${issuer.settings.maxLifetime} is ${issuer.claims.maxLifetimeSeconds}. Configure the provider to issue tokens with a shorter lifetime, or raise the setting.`;
  },
  claim_invalid: (_context, step) =>
    step === 'times'
      ? 'A time in the token (exp, nbf, iat) is not a number of seconds since 1970.'
      : 'The token was not made by POST /token of this service, although it names it.',
  audience_mismatch({ claims, issuer: { claims: policy, settings } }) {
    const { audienceClaim: claim, audiences } = policy;
    if (claim === 'aud' && looksLikeIdToken(claims)) return idTokenAdvice;
    const said = `${shown(claims[claim])}${claim === 'aud' ? '' : ` ("${claim}")`}`;
    return `The token is for another audience: it says ${said}, and ${settings.audience} is ${(audiences ?? []).map(quoted).join(' or ')}. Ask the provider for a token for that audience (Keycloak: an audience mapper), or set ${settings.audience}.`;
  },
  subject_invalid: () => 'The token has no usable subject: "sub" must be a non-empty text.',
  insufficient_scope({ verified, issuer: { claims: policy, settings } }) {
    const missing = policy.requiredScopes.filter((name) => !verified?.scopes.includes(name));
    return `The token lacks the scope ${missing.join(' ') || '(its list cannot be read)'}. Ask the provider for it when you sign in, or change ${settings.requiredScopes}.`;
  },
  consumer_suspended: () =>
    'The operator has suspended this caller. "npx vestibule consumer resume" admits it again (its pseudonym: --pseudonym).',
  client_disabled: () =>
    'The client was disabled or removed, or the secret that the token was issued for was. "npx vestibule client list" shows them.',
  token_revoked: () =>
    'The token was revoked: its user signed out, the provider or the operator ended the session, the client revoked it, or the operator took one of its scopes from the client. Sign in again, or ask for a new token.',
};

function keysAdvice({ settings }: ExaminedIssuer, fault: string | undefined): string {
  if (fault === 'algorithm_not_allowed')
    return `The published keys are for other algorithms than ${settings.algorithms} names. Add the algorithms of the provider to it.`;
  const { origin, jwksPath } = settings;
  const todo = connectionAdvice(fault, jwksPath === undefined ? 'DATABASE_URL' : `${origin} and ${jwksPath}`);
  return `The keys of the issuer cannot be fetched. ${todo}`;
}

/** What to do about a provider or a database that cannot be reached, by the code of the failure. */
export function connectionAdvice(fault = '', settings = ''): string {
  const code = fault.replace(/^(http_[35])\d\d$/, '$1xx');
  const known = Object.entries(connections).find(([codes]) => codes.split(' ').includes(code));
  return (known?.[1] ?? 'Check SETTINGS.').replace('SETTINGS', settings);
}

const connections: Readonly<Record<string, string>> = {
  'ENOTFOUND EAI_AGAIN': 'There is no such host. Check SETTINGS, and whether this machine resolves names.',
  ECONNREFUSED: 'Nothing listens there. Start it, or check host and port in SETTINGS.',
  'DEPTH_ZERO_SELF_SIGNED_CERT SELF_SIGNED_CERT_IN_CHAIN UNABLE_TO_VERIFY_LEAF_SIGNATURE UNABLE_TO_GET_ISSUER_CERT UNABLE_TO_GET_ISSUER_CERT_LOCALLY':
    'This machine does not trust its certificate. Name the certificate authority in NODE_EXTRA_CA_CERTS.',
  CERT_HAS_EXPIRED: 'Its certificate has expired. Renew it there.',
  ERR_TLS_CERT_ALTNAME_INVALID:
    'Its certificate is for another name. Use the name of the certificate in SETTINGS.',
  'EPROTO ERR_SSL_WRONG_VERSION_NUMBER ERR_SSL_PACKET_LENGTH_TOO_LONG':
    'That port does not use TLS. Check SETTINGS: http or https, and the port.',
  timeout: 'It does not answer in time. Check SETTINGS, and any firewall or proxy in between.',
  not_json: 'The answer is not the expected JSON. It may be an HTML page. Check SETTINGS.',
  http_3xx: 'It redirects, and redirects are not followed. Set SETTINGS to the final address.',
  'http_401 http_403': 'It asks for credentials, and keys are public. Check SETTINGS.',
  http_404: 'There is nothing at that URL (404). Check SETTINGS.',
  http_5xx: 'The provider answered with a server error. Try again later.',
  '28P01 28000': 'The database does not know this user or password. Check SETTINGS.',
  '3D000': 'The server has no such database. Create it, or check the name in SETTINGS.',
  'sqlite_5 sqlite_6': 'Another program has locked it. Stop that program.',
  sqlite_26: 'The file has another format. Name an SQLite file in SETTINGS.',
};
