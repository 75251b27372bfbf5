import { logLevels } from '../base/plain-log.ts';
import { signatureAlgorithms } from '../base/signature-algorithms.ts';
import * as kind from './kinds.ts';
import type { Providers } from './providers.ts';

/**
 * Every setting, once: its kind, its default (as an operator would type it; null = none), one sentence and an
 * example. The name in the environment is the key in capitals: `idpJwksPath` is read from IDP_JWKS_PATH.
 * docs/config.md is generated from this table (`npm run docs`).
 */
export interface Setting<T = unknown, D extends string | null = string | null> {
  readonly parse: kind.Parse<T>;
  readonly default: D;
  readonly example: string;
  readonly sentence: string;
  readonly required?: boolean;
  /** The name of the setting that replaces this one; without it this one is required. */
  readonly requiredWithout?: string;
  readonly secret?: true;
}

type SettingTexts = Pick<Setting, 'example' | 'sentence' | 'secret' | 'requiredWithout'>;

function required<T>(parse: kind.Parse<T>, about: SettingTexts) {
  return { parse, default: null, required: true, ...about } as const;
}
function optional<T>(parse: kind.Parse<T>, about: SettingTexts) {
  return { parse, default: null, required: false, ...about } as const;
}
function defaulted<T>(parse: kind.Parse<T>, value: string, about: SettingTexts) {
  return { parse, default: value, required: false, ...about } as const;
}

export const signingAlgorithms = ['RS256', 'ES256', 'EdDSA'] as const;

export const storageSettings = {
  databaseUrl: defaulted(kind.databaseUrl, 'sqlite:./data/vestibule.db', {
    example: 'postgres://vestibule:secret@db.example.org/vestibule?sslmode=verify-full',
    sentence:
      'Where data is kept: an SQLite file, or a PostgreSQL database for more than one machine. The URL of a PostgreSQL on another machine has to say `sslmode`: `verify-full` (so do `require` and `verify-ca` here: certificate and name are always checked, by `sslrootcert` where it is given), or `disable` for a network that is to be trusted.',
    secret: true,
  }),
  databasePoolSize: defaulted(kind.integer(1, 200), '10', {
    example: '20',
    sentence:
      'How many PostgreSQL connections the service opens at most, in all its processes together (`serve --processes`).',
  }),
  migrate: defaulted(kind.oneOf(['auto', 'off']), 'auto', {
    example: 'off',
    sentence:
      'Whether a start brings the schema to the version of this release, as far as older processes can go on beside it. With "off" nothing starts before "npx vestibule migrate" has done it.',
  }),
  masterSecret: optional(kind.masterSecret, {
    example: '$(openssl rand -base64 48)',
    sentence:
      'The secret from which all keys are derived: pseudonyms, stored client secrets, the encryption of signing keys. It must be 256 random bits or more: at least 43 characters of base64, or 64 of hex. Losing it makes every stored pseudonym meaningless. Required with PostgreSQL; with SQLite it is made at the first start in a file beside the database.',
    secret: true,
  }),
  masterSecretFile: optional(kind.text, {
    example: '/run/secrets/vestibule',
    sentence: 'A file that holds the master secret, instead of MASTER_SECRET.',
  }),
  erasureLog: optional(kind.text, {
    example: '/mnt/elsewhere/vestibule.erasures',
    sentence:
      'The file to which every erasure of a caller is noted before it is done, as a keyed digest, so that a restored backup can do those again that came after it. Best on another disk than the database; each machine needs one of its own. With SQLite it is by default the file `<database>.erasures`; with PostgreSQL there is none by default.',
  }),
  logLevel: defaulted(kind.oneOf(logLevels), 'info', {
    example: 'warn',
    sentence: 'The least severe lines that are logged. One line a request is written at "info".',
  }),
};

/** The settings to create and change the keys that sign our own tokens. */
export const keySettings = {
  tokenTtlSeconds: defaulted(kind.integer(30, 86400), '600', {
    example: '300',
    sentence: 'How long a token of POST /token lives.',
  }),
  tokenSigningAlg: defaulted(kind.oneOf(signingAlgorithms), 'RS256', {
    example: 'ES256',
    sentence:
      'What the tokens of POST /token are signed with. After a change the next start publishes a key for it, which then takes over. All processes need the same value.',
  }),
};

export const webhookSettings = {
  webhookAllow: defaulted(kind.list(kind.webhookTarget), '', {
    example: 'http://127.0.0.1:9000, https://hooks.internal',
    sentence:
      'The origins of receivers of webhooks inside your own network. Any other receiver must have https and addresses of the internet. `loopback` stands for every port of this machine, as `dev` has it.',
  }),
};

export const serviceSettings = {
  baseUrl: optional(kind.baseUrl, {
    example: 'https://api.example.org',
    sentence:
      'The address callers use, and the issuer of the tokens of POST /token. By default made from HOST and PORT; required when the service is reached through another address.',
  }),
  host: defaulted(kind.host, '127.0.0.1', {
    example: '0.0.0.0',
    sentence: 'The address to listen on. Anything but loopback needs TLS or TRUSTED_PROXIES.',
  }),
  port: defaulted(kind.integer(0, 65535), '8080', {
    example: '8443',
    sentence: 'The port to listen on; 0 takes any free one.',
  }),
  idpOrigin: optional(kind.origin, {
    example: 'https://tenant.eu.auth0.com',
    sentence:
      'The origin of the identity provider. Must be https, except on loopback. IDPS_FILE takes its place where there are several.',
    requiredWithout: 'IDPS_FILE',
  }),
  idpsFile: optional(kind.text, {
    example: '/etc/vestibule/providers.yaml',
    sentence:
      'A YAML file with a list of providers, each with its own keys and rules, instead of IDP_ORIGIN and the settings that go with it (docs/providers.md).',
  }),
  idpJwksPath: defaulted(kind.urlPath, '/.well-known/jwks.json', {
    example: '/realms/main/protocol/openid-connect/certs',
    sentence: 'Where on IDP_ORIGIN the provider publishes its keys.',
  }),
  jwksMaxStaleSeconds: defaulted(kind.integer(60, 604800), '86400', {
    example: '3600',
    sentence:
      'How long the last good keys of the provider are used while new ones cannot be had. After that protected endpoints answer 503.',
  }),
  refusalsPerMinute: defaulted(kind.integer(1, 1_000_000), '1200', {
    example: '300',
    sentence:
      'How many refused requests a minute an address may cause. Further ones are 429. Good tokens from there are served, and a missing or expired token is still answered with 403. Failed tries at POST /token have a fortieth of it (30), for each address and each client; a valid secret is always served.',
  }),
  idpIssuer: optional(kind.visibleText, {
    example: 'https://login.example.org/realms/main',
    sentence:
      'The one exact value of "iss" in the provider\'s tokens. By default IDP_ORIGIN, with or without one trailing slash.',
  }),
  idpFormerIssuer: optional(kind.visibleText, {
    example: 'https://old.example.org/realms/main',
    sentence:
      'The exact "iss" that the provider\'s tokens had before its address changed. People keep their id and records, if their "sub" is the same.',
  }),
  idpRequiredScopes: defaulted(kind.list(kind.scopeName), '', {
    example: 'consumer',
    sentence: 'Scopes that every token of the provider must carry to reach the consumer API.',
  }),
  apiAudience: required(kind.visibleText, {
    example: 'https://api.example.org',
    sentence: 'The audience that tokens must be issued for.',
  }),
  allowedAlgorithms: defaulted(kind.list(kind.oneOf(signatureAlgorithms)), 'RS256', {
    example: 'RS256, ES256',
    sentence: 'The signature algorithms that the provider may use.',
  }),
  requireAtJwt: defaulted(kind.flag, 'false', {
    example: 'true',
    sentence: 'Accept only tokens that say they are access tokens: "typ" of "at+jwt" (RFC 9068).',
  }),
  maxTokenLifetimeSeconds: optional(kind.integer(60, 31_536_000), {
    example: '86400',
    sentence:
      'How long a token of the provider may live, from "iat" to "exp"; one without "iat" is then refused too. By default as long as the provider says.',
  }),
  dpop: defaulted(kind.dpop, 'on', {
    example: 'required, nonce',
    sentence:
      'Whether tokens may be bound to a key of their sender (DPoP, RFC 9449). With "on" a bound token needs a proof with every request, and any other is a bearer token; with "off" none is taken. "page": the reference frontend has its tokens bound. "required": only bound tokens are taken. "nonce": a proof must contain the nonce of the last answer (DPoP-Nonce), so that none can be made ahead of time.',
  }),
  collectionsDir: optional(kind.text, {
    example: '/etc/vestibule/collections',
    sentence:
      'The folder with the declarations of the collections to serve, one YAML file for each. By default "collections" in the working folder, if there is one.',
  }),
  readsPerMinute: defaulted(kind.integer(1, 1_000_000), '600', {
    example: '1200',
    sentence:
      'How many reads of records a minute a caller may make of each process (429 past that). Writes that are refused, or repeat an earlier one, count as reads.',
  }),
  newcomersPerHour: defaulted(kind.integer(0, 1_000_000), '1000', {
    example: '200',
    sentence:
      'When more users than that were new here within an hour, those who are new can only read for a while; 0 is never.',
  }),
  web: defaulted(kind.oneOf(['on', 'off']), 'off', {
    example: 'on',
    sentence: 'Whether the reference frontend is served at /. Its files come from "npm run build".',
  }),
  webClientId: optional(kind.visibleText, {
    example: 'vestibule-web',
    sentence:
      'The id under which the frontend is registered at the provider: a public client, authorization code with PKCE, coming back to BASE_URL and a slash. Logout tokens at POST /idp/logout have to be for it, also with WEB=off; for several clients set "logout_audience" in IDPS_FILE.',
  }),
  webScopes: defaulted(kind.list(kind.scopeName), '', {
    example: 'offline_access',
    sentence:
      'Scopes that the frontend asks the provider for, besides openid, profile, IDP_REQUIRED_SCOPES and those of the collections.',
  }),
  tlsCertFile: optional(kind.text, {
    example: '/etc/vestibule/tls.crt',
    sentence: 'The certificate chain (PEM), when the service speaks TLS itself.',
  }),
  tlsKeyFile: optional(kind.text, {
    example: '/etc/vestibule/tls.key',
    sentence: 'The private key (PEM) that belongs to TLS_CERT_FILE.',
  }),
  trustedProxies: defaulted(kind.networks, '', {
    example: '10.0.0.7, 192.168.1.0/24',
    sentence:
      'The proxies in front of the service. With any named, a request is taken only from them and only when X-Forwarded-Proto says "https".',
  }),
  corsOrigins: defaulted(kind.list(kind.origin), '', {
    example: 'https://www.example.org',
    sentence: 'The origins of the frontends that may call the consumer API from a browser.',
  }),
  opsHost: defaulted(kind.host, '127.0.0.1', {
    example: '127.0.0.1',
    sentence: 'The address for health, metrics and the console. Never expose it to the internet.',
  }),
  opsPort: defaulted(kind.integer(0, 65535), '8081', {
    example: '9090',
    sentence: 'The port for health, metrics and the console; 0 takes any free one.',
  }),
  console: defaulted(kind.oneOf(['on', 'off']), 'on', {
    example: 'off',
    sentence:
      'Whether the console, a page for the operator that only reads, is served at / of OPS_PORT (docs/console.md). On loopback it is for everybody on this machine, on any other OPS_HOST only where OPS_TOKEN is set.',
  }),
  opsToken: optional(kind.opsToken, {
    example: '$(openssl rand -base64 32)',
    sentence:
      'The token that the console asks for, 32 characters or more. Health and metrics never ask for one.',
    secret: true,
  }),
  maxBodyBytes: defaulted(kind.integer(1024, 1048576), '65536', {
    example: '65536',
    sentence: 'The largest request body taken, in bytes (413 past that).',
  }),
  maxConnections: defaulted(kind.integer(10, 100000), '10000', {
    example: '2000',
    sentence:
      'How many connections are open at once at most, in all processes together (`serve --processes`). Past that a new one takes the place of an idle one; where none is idle it is closed.',
  }),
  maxConnectionsPerAddress: defaulted(kind.integer(1, 100000), '2000', {
    example: '200',
    sentence:
      'The same for the connections from one address, or one IPv6 network (/64). Trusted proxies are not bound by it.',
  }),
  requestTimeoutSeconds: defaulted(kind.integer(1, 300), '30', {
    example: '15',
    sentence: 'How long a client may take to send a whole request (408 past that).',
  }),
  keepAliveSeconds: defaulted(kind.integer(1, 3600), '72', {
    example: '30',
    sentence: 'How long an idle connection is kept open for the next request.',
  }),
  drainSeconds: defaulted(kind.integer(0, 300), '0', {
    example: '5',
    sentence:
      'How long after SIGTERM requests are still taken while /readyz says 503 already, so that a load balancer can notice.',
  }),
};

export const settings = { ...storageSettings, ...keySettings, ...webhookSettings, ...serviceSettings };

export function environmentName(key: string): string {
  return key.replace(/[A-Z]/g, (capital) => `_${capital}`).toUpperCase();
}

type Value<S> = S extends { parse: kind.Parse<infer T>; default: infer D; required: infer R }
  ? D extends string
    ? T
    : R extends true
      ? T
      : T | null
  : never;
type Values<Table> = { readonly [K in keyof Table]: Value<Table[K]> };

export type StorageConfig = Values<typeof storageSettings>;
export type KeyConfig = Values<typeof keySettings>;
export type Config = Values<typeof settings> & { readonly providers: Providers };
/** The settings of the commands for webhooks: allowed targets, and the source address. */
export type WebhookConfig = StorageConfig &
  Pick<Config, 'webhookAllow' | 'baseUrl' | 'host' | 'port' | 'tlsCertFile'>;
