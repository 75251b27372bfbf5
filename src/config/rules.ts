import { hostOf, saysHowItIsProtected } from './postgres-url.ts';
import type { Config } from './settings.ts';

/**
 * A rule that concerns more than one setting: the mistake in one sentence with an example of what would be right, or
 * nothing. It is not asked when a setting that it reads is wrong by itself.
 */
export type Rule = (config: Config) => string | false;

export const storageRules: readonly Rule[] = [
  (config) =>
    config.masterSecret !== null &&
    config.masterSecretFile !== null &&
    'MASTER_SECRET and MASTER_SECRET_FILE are both set. Set one of them, for example MASTER_SECRET_FILE=/run/secrets/vestibule',
  (config) =>
    config.databaseUrl.engine === 'postgres' &&
    config.masterSecret === null &&
    config.masterSecretFile === null &&
    'MASTER_SECRET is not set, and with PostgreSQL every process must have the same one. Example: MASTER_SECRET_FILE=/run/secrets/vestibule, made with: openssl rand -base64 48',
  (config) =>
    config.databaseUrl.engine === 'postgres' &&
    leavesTheMachine(config.databaseUrl.url) &&
    !saysHowItIsProtected(config.databaseUrl.url) &&
    'DATABASE_URL leads to another machine and does not say whether by TLS; without it everybody on the way can read and change what is sent. Add sslmode=verify-full, with sslrootcert=<file> for an authority of your own, or sslmode=disable if that network is to be trusted. Example: DATABASE_URL=postgres://vestibule:secret@db.example.org/vestibule?sslmode=verify-full',
];

export const serviceRules: readonly Rule[] = [
  (config) =>
    (config.tlsCertFile === null) !== (config.tlsKeyFile === null) &&
    'TLS_CERT_FILE and TLS_KEY_FILE go together, and only one is set. Example: TLS_CERT_FILE=/etc/vestibule/tls.crt TLS_KEY_FILE=/etc/vestibule/tls.key',
  (config) =>
    !isLoopback(config.host) &&
    config.tlsCertFile === null &&
    !isBehindProxy(config) &&
    `HOST is "${config.host}", and tokens are taken over HTTPS only. Set TLS_CERT_FILE and TLS_KEY_FILE, or name the proxy that speaks HTTPS. Example: TRUSTED_PROXIES=10.0.0.7`,
  (config) =>
    !isHttpsOrLoopback(config.idpOrigin) &&
    `IDP_ORIGIN must be https, because keys fetched over plain HTTP can be anybody's; found "${config.idpOrigin}". Example: IDP_ORIGIN=${config.idpOrigin.replace('http:', 'https:')}`,
  (config) =>
    config.baseUrl === null &&
    (!isLoopback(config.host) || isBehindProxy(config) || config.port === 0) &&
    'BASE_URL is not set, and callers reach the service through another address than HOST and PORT. Example: BASE_URL=https://api.example.org',
  (config) =>
    config.baseUrl?.startsWith('https:') === true &&
    isLoopback(config.host) &&
    config.tlsCertFile === null &&
    !isBehindProxy(config) &&
    `BASE_URL is "${config.baseUrl}", and the service neither speaks TLS itself nor knows the proxy that does. Set TLS_CERT_FILE and TLS_KEY_FILE, or name the proxy. Example: TRUSTED_PROXIES=127.0.0.1`,
  (config) =>
    config.baseUrl !== null &&
    !isHttpsOrLoopback(config.baseUrl) &&
    `BASE_URL must be https; found "${config.baseUrl}". Example: BASE_URL=${config.baseUrl.replace('http:', 'https:')}`,
  (config) =>
    providerIssuers(config).includes(ownIssuer(config)) &&
    `BASE_URL is also the issuer of the identity provider ("${ownIssuer(config)}"), and two issuers with one name cannot be told apart. Example: BASE_URL=https://api.example.org`,
  (config) =>
    config.web === 'on' &&
    config.webClientId === null &&
    'WEB is on and WEB_CLIENT_ID is not set: the provider has to know the frontend. Example: WEB_CLIENT_ID=vestibule-web',
  (config) =>
    config.allowedAlgorithms.length === 0 &&
    'ALLOWED_ALGORITHMS names no algorithm. Example: ALLOWED_ALGORITHMS=RS256',
  (config) =>
    config.port !== 0 &&
    config.port === config.opsPort &&
    config.host === config.opsHost &&
    `PORT and OPS_PORT are both ${config.port}. Example: OPS_PORT=${config.port === 65535 ? 8081 : config.port + 1}`,
];

/** The address the service is known by: BASE_URL, else what HOST, PORT and TLS make of it. */
export function ownIssuer(config: Pick<Config, 'baseUrl' | 'host' | 'port' | 'tlsCertFile'>): string {
  if (config.baseUrl !== null) return config.baseUrl;
  const host = config.host.includes(':') ? `[${config.host}]` : config.host;
  return `${config.tlsCertFile === null ? 'http' : 'https'}://${host}:${config.port}`;
}

/** The exact values of `iss` that the provider's tokens may carry. Auth0 issues the one with a trailing slash. */
export function providerIssuers(config: Pick<Config, 'idpIssuer' | 'idpOrigin'>): readonly string[] {
  return config.idpIssuer === null ? [config.idpOrigin, `${config.idpOrigin}/`] : [config.idpIssuer];
}

export function isBehindProxy(config: Pick<Config, 'trustedProxies'>): boolean {
  return config.trustedProxies.rules.length > 0;
}

export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || host === '[::1]' || /^127(\.\d{1,3}){3}$/.test(host);
}

/** A path is that of a socket; without a host the driver takes this machine. */
function leavesTheMachine(url: string): boolean {
  const host = hostOf(url);
  return host !== '' && !host.startsWith('/') && !isLoopback(host);
}

function isHttpsOrLoopback(url: string): boolean {
  const { protocol, hostname } = new URL(url);
  return protocol === 'https:' || isLoopback(hostname);
}
