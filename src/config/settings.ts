import { logLevels } from '../base/plain-log.ts';
import { signatureAlgorithms } from '../base/provider-rules.ts';
import type { Brand } from './brand-file.ts';
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

type About = readonly [example: string, sentence: string, more?: Pick<Setting, 'secret' | 'requiredWithout'>];

function defaulted<T, D extends string | null>(parse: kind.Parse<T>, value: D, about: About) {
  const [example, sentence, more] = about;
  return { parse, default: value, example, sentence, ...more };
}
function optional<T>(parse: kind.Parse<T>, about: About) {
  return defaulted(parse, null, about);
}
function required<T>(parse: kind.Parse<T>, about: About) {
  return { ...optional(parse, about), required: true } as const;
}

export const signingAlgorithms = ['RS256', 'ES256', 'EdDSA'] as const;

export const storageSettings = {
  databaseUrl: defaulted(kind.databaseUrl, 'sqlite:./data/vestibule.db', [
    'postgres://vestibule:secret@db.example.org/vestibule?sslmode=verify-full',
    'An SQLite file, or a PostgreSQL database. The URL of a PostgreSQL on another machine needs `sslmode`: `verify-full` (`require` and `verify-ca` mean the same here; `sslrootcert` is optional), or `disable` in a trusted network.',
    { secret: true },
  ]),
  databasePoolSize: defaulted(kind.integer(1, 200), '10', [
    '20',
    'PostgreSQL connections at most, of all processes together (`serve --processes`).',
  ]),
  migrate: defaulted(kind.oneOf(['auto', 'off']), 'auto', [
    'off',
    '"auto": a start makes the migrations that older processes tolerate. "off": run "npx vestibule migrate" before a start.',
  ]),
  masterSecret: optional(kind.masterSecret, [
    '$(openssl rand -base64 48)',
    'All keys derive from it: pseudonyms, client secrets, the encryption of signing keys. At least 256 random bits: 43 characters of base64 or 64 of hex. Without it the stored pseudonyms mean nothing. Required with PostgreSQL; with SQLite the first start creates it in a file beside the database.',
    { secret: true },
  ]),
  masterSecretFile: optional(kind.text, [
    '/run/secrets/vestibule',
    'A file with the master secret, instead of MASTER_SECRET.',
  ]),
  erasureLog: optional(kind.text, [
    '/mnt/elsewhere/vestibule.erasures',
    'The file that lists erasures of callers, as keyed digests, so that a restore can repeat later ones. Use another disk than the database, and one file for each machine. Default with SQLite: `<database>.erasures`; with PostgreSQL none.',
  ]),
  logLevel: defaulted(kind.oneOf(logLevels), 'info', [
    'warn',
    'The lowest level that is logged. Requests are logged at "info".',
  ]),
};

/** The settings to create and change the keys that sign our own tokens. */
export const keySettings = {
  tokenTtlSeconds: defaulted(kind.integer(30, 86400), '600', ['300', 'Lifetime of a token of POST /token.']),
  tokenSigningAlg: defaulted(kind.oneOf(signingAlgorithms), 'RS256', [
    'ES256',
    'The algorithm that signs tokens of POST /token. After a change the next start publishes a key, which then takes over.',
  ]),
};

export const webhookSettings = {
  webhookAllow: defaulted(kind.list(kind.webhookTarget), '', [
    'http://127.0.0.1:9000, https://hooks.internal',
    'Origins of webhook receivers inside your network. Any other receiver needs https and a public address. `loopback` allows every port of this machine, as in `dev`.',
  ]),
};

export const serviceSettings = {
  baseUrl: optional(kind.baseUrl, [
    'https://api.example.org',
    'The address that callers use, and the issuer of tokens of POST /token. A path is allowed if the proxy in front removes it, and not with WEB=on. Made from HOST and PORT by default; required behind another address.',
  ]),
  host: defaulted(kind.host, '127.0.0.1', [
    '0.0.0.0',
    'The address to listen on. Other than loopback needs TLS or TRUSTED_PROXIES.',
  ]),
  port: defaulted(kind.integer(0, 65535), '8080', ['8443', 'The port to listen on; 0 chooses a free one.']),
  idpOrigin: optional(kind.origin, [
    'https://tenant.eu.auth0.com',
    'The origin of the identity provider; https, except on loopback. For several providers use IDPS_FILE.',
    { requiredWithout: 'IDPS_FILE' },
  ]),
  idpsFile: optional(kind.text, [
    '/etc/vestibule/providers.yaml',
    'A YAML file with several providers, instead of IDP_ORIGIN and the settings that belong to it (docs/providers.md).',
  ]),
  idpJwksPath: defaulted(kind.urlPath, '/.well-known/jwks.json', [
    '/realms/main/protocol/openid-connect/certs',
    "The path of the provider's keys on IDP_ORIGIN.",
  ]),
  jwksMaxStaleSeconds: defaulted(kind.integer(60, 604800), '86400', [
    '3600',
    'How long the keys of a provider are used after the last successful fetch. After that its JWTs are 503 `keys_unavailable`.',
  ]),
  refusalsPerMinute: defaulted(kind.integer(1, 1_000_000), '1200', [
    '300',
    'Refused requests a minute for each address; further ones are 429. Valid tokens from that address are still served, and a missing or expired token is still 403. POST /token allows a fortieth (30) for each address and client; a valid secret is always served.',
  ]),
  idpIssuer: optional(kind.visibleText, [
    'https://login.example.org/realms/main',
    'The exact "iss" of the provider\'s tokens. By default IDP_ORIGIN, with or without one trailing slash.',
  ]),
  idpFormerIssuer: optional(kind.visibleText, [
    'https://old.example.org/realms/main',
    'The exact "iss" before the provider\'s address changed. People with the same "sub" keep their id and records.',
  ]),
  idpRequiredScopes: defaulted(kind.list(kind.scopeName), '', [
    'consumer',
    'Scopes that every token of the provider must carry.',
  ]),
  apiAudience: required(kind.visibleText, [
    'https://api.example.org',
    'The audience that tokens must be issued for.',
  ]),
  allowedAlgorithms: defaulted(kind.list(kind.oneOf(signatureAlgorithms)), 'RS256', [
    'RS256, ES256',
    'The signature algorithms that the provider may use.',
  ]),
  requireAtJwt: defaulted(kind.flag, 'false', [
    'true',
    'Accept only tokens whose "typ" is "at+jwt" (RFC 9068).',
  ]),
  maxTokenLifetimeSeconds: optional(kind.integer(60, 31_536_000), [
    '86400',
    'The longest time from "iat" to "exp" of a provider\'s token; a token without "iat" is then refused. No limit by default.',
  ]),
  dpop: defaulted(kind.dpop, 'on', [
    'required, nonce',
    'Tokens bound to a key (DPoP, RFC 9449). "on": a bound token needs a proof, any other is a bearer token. "off": bound tokens are refused. "page": the reference frontend binds its tokens. "required": only bound tokens are accepted. "nonce": a proof needs the nonce of a recent answer.',
  ]),
  collectionsDir: optional(kind.text, [
    '/etc/vestibule/collections',
    'The folder with the declarations, one YAML file for each collection. By default "collections" in the working folder, if it exists.',
  ]),
  readsPerMinute: defaulted(kind.integer(1, 1_000_000), '600', [
    '1200',
    'Reads of records a minute for each caller at each process (then 429). Refused and repeated writes count as reads.',
  ]),
  newcomersPerHour: defaulted(kind.integer(0, 1_000_000), '1000', [
    '200',
    'If more users than this are new within an hour, new users can only read for a while; 0 means no limit.',
  ]),
  web: defaulted(kind.oneOf(['on', 'off']), 'off', ['on', 'Serve the reference frontend at /.']),
  webClientId: optional(kind.visibleText, [
    'vestibule-web',
    'The id of the frontend at the provider: a public client (authorization code with PKCE) that returns to BASE_URL and a slash. Logout tokens must be for it, also with WEB=off.',
  ]),
  webScopes: defaulted(kind.list(kind.scopeName), '', [
    'offline_access',
    'Further scopes that the frontend asks for, besides openid, profile, IDP_REQUIRED_SCOPES and those of collections.',
  ]),
  brandFile: optional(kind.text, [
    '/etc/vestibule/brand.json',
    'A JSON file with the title, colours, logo and links of the frontend: `{"title": "Harbour Club", "accent": "#1d5b4a", "logo": "logo.svg", "imprint": "https://...", "privacy": "https://..."}`, each optional. `accent` is for the light scheme and made paler for the dark one, or it is `{"light": ..., "dark": ...}`; a contrast below 4.5 is refused. The logo is an SVG file beside it, of at most 20 kB.',
  ]),
  tlsCertFile: optional(kind.text, [
    '/etc/vestibule/tls.crt',
    'The certificate chain (PEM), if the service speaks TLS itself.',
  ]),
  tlsKeyFile: optional(kind.text, ['/etc/vestibule/tls.key', 'The private key (PEM) of TLS_CERT_FILE.']),
  trustedProxies: defaulted(kind.networks, '', [
    '10.0.0.7, 192.168.1.0/24',
    'The proxies in front of the service. Requests are then accepted only from them, with X-Forwarded-Proto "https".',
  ]),
  corsOrigins: defaulted(kind.list(kind.origin), '', [
    'https://www.example.org',
    'Origins of frontends that may call the API from a browser.',
  ]),
  opsHost: defaulted(kind.host, '127.0.0.1', [
    '127.0.0.1',
    'The address for health, metrics and the console. Never expose it to the internet.',
  ]),
  opsPort: defaulted(kind.integer(0, 65535), '8081', [
    '9090',
    'The port for health, metrics and the console; 0 takes any free one.',
  ]),
  console: defaulted(kind.oneOf(['on', 'off']), 'on', [
    'off',
    'Serve the console, a read-only page for the operator, at / of OPS_PORT (docs/console.md). On loopback every user of this machine can open it. Any other OPS_HOST needs OPS_TOKEN for it.',
  ]),
  opsToken: optional(kind.opsToken, [
    '$(openssl rand -base64 32)',
    'The token that the console asks for, 32 characters or more. Health and metrics never ask for one.',
    { secret: true },
  ]),
  maxBodyBytes: defaulted(kind.integer(1024, 1048576), '65536', [
    '65536',
    'The largest request body, in bytes (then 413). `POST /batch` has a limit of its own.',
  ]),
  maxConnections: defaulted(kind.integer(10, 100000), '10000', [
    '2000',
    'Open connections of all processes together. Above the limit a new connection replaces an idle one, or is closed.',
  ]),
  maxConnectionsPerAddress: defaulted(kind.integer(1, 100000), '2000', [
    '200',
    'Open connections of one address, or one IPv6 network (/64). The limit does not apply to trusted proxies.',
  ]),
  requestTimeoutSeconds: defaulted(kind.integer(1, 300), '30', [
    '15',
    'Time to send a whole request (then 408).',
  ]),
  keepAliveSeconds: defaulted(kind.integer(1, 3600), '72', [
    '30',
    'Time that an idle connection stays open.',
  ]),
  drainSeconds: defaulted(kind.integer(0, 300), '0', [
    '5',
    'Time after SIGTERM in which requests are still accepted while /readyz is 503, so that a load balancer notices.',
  ]),
};

export const settings = { ...storageSettings, ...keySettings, ...webhookSettings, ...serviceSettings };

export function environmentName(key: string): string {
  return key.replace(/[A-Z]/g, (capital) => `_${capital}`).toUpperCase();
}

type Value<S> = S extends { parse: kind.Parse<infer T> }
  ? S extends { default: string } | { required: true }
    ? T
    : T | null
  : never;
export type Values<Table> = { readonly [K in keyof Table]: Value<Table[K]> };

export type StorageConfig = Values<typeof storageSettings>;
export type KeyConfig = Values<typeof keySettings>;
export type Config = Values<typeof settings> & {
  readonly providers: Providers;
  readonly brand: Brand | null;
};
/** The settings of the commands for webhooks: allowed targets, and the source address. */
export type WebhookConfig = StorageConfig &
  Pick<Config, 'webhookAllow' | 'baseUrl' | 'host' | 'port' | 'tlsCertFile'>;
