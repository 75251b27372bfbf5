import { isHttps, isHttpsOrLoopback, isLoopback } from '../base/url.ts';
import { hasTlsMode, hostOf } from './kinds.ts';
import type { Config } from './settings.ts';

/** A rule between settings: the mistake with an example, or false. Not called if a setting that it reads is invalid. */
export type Rule = (config: Config) => string | false;

const unprotected =
  'DATABASE_URL names a database on another machine, and not whether to use TLS. Without TLS an attacker in the network can read and change the data. Add sslmode=verify-full, with sslrootcert=<file> for your own certificate authority, or sslmode=disable in a trusted network. Example: DATABASE_URL=postgres://vestibule:secret@db.example.org/vestibule?sslmode=verify-full';

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
    !hasTlsMode(config.databaseUrl.url) &&
    unprotected,
];

export const serviceRules: readonly Rule[] = [
  (config) =>
    (config.tlsCertFile === null) !== (config.tlsKeyFile === null) &&
    'TLS_CERT_FILE and TLS_KEY_FILE go together, and only one is set. Example: TLS_CERT_FILE=/etc/vestibule/tls.crt TLS_KEY_FILE=/etc/vestibule/tls.key',
  (config) =>
    !isLoopback(config.host) &&
    config.tlsCertFile === null &&
    !isBehindProxy(config) &&
    `HOST is "${config.host}", and the service accepts tokens over HTTPS only. Set TLS_CERT_FILE and TLS_KEY_FILE, or name the proxy that speaks HTTPS. Example: TRUSTED_PROXIES=10.0.0.7`,
  (config) => config.idpsFile !== null && besideProvidersFile(config),
  (config) =>
    config.idpOrigin !== null &&
    !isHttpsOrLoopback(config.idpOrigin) &&
    `IDP_ORIGIN must be https, because an attacker can replace keys that are fetched over plain HTTP; found "${config.idpOrigin}". Example: IDP_ORIGIN=${config.idpOrigin.replace('http:', 'https:')}`,
  (config) =>
    config.baseUrl === null &&
    (!isLoopback(config.host) || isBehindProxy(config) || config.port === 0) &&
    'BASE_URL is not set, and callers reach the service at another address than HOST and PORT. Set it to that address. Example: BASE_URL=https://api.example.org',
  (config) =>
    config.baseUrl !== null &&
    isHttps(config.baseUrl) &&
    isLoopback(config.host) &&
    config.tlsCertFile === null &&
    !isBehindProxy(config) &&
    `BASE_URL is "${config.baseUrl}", and the service neither speaks TLS itself nor knows the proxy that does. Set TLS_CERT_FILE and TLS_KEY_FILE, or name the proxy. Example: TRUSTED_PROXIES=127.0.0.1`,
  (config) =>
    config.baseUrl !== null &&
    !isHttpsOrLoopback(config.baseUrl) &&
    `BASE_URL must be https; found "${config.baseUrl}". Example: BASE_URL=${config.baseUrl.replace(/^http:/i, 'https:')}`,
  (config) =>
    config.allowedAlgorithms.length === 0 &&
    'ALLOWED_ALGORITHMS names no algorithm. Example: ALLOWED_ALGORITHMS=RS256',
  (config) =>
    config.port !== 0 &&
    config.port === config.opsPort &&
    config.host === config.opsHost &&
    `PORT and OPS_PORT are both ${config.port}. Example: OPS_PORT=${config.port === 65535 ? 8081 : config.port + 1}`,
];

/** The public address of the service: BASE_URL, or a default from HOST, PORT and TLS. */
export function ownIssuer(config: Pick<Config, 'baseUrl' | 'host' | 'port' | 'tlsCertFile'>): string {
  if (config.baseUrl !== null) return config.baseUrl;
  const host = config.host.includes(':') ? `[${config.host}]` : config.host;
  return `${config.tlsCertFile === null ? 'http' : 'https'}://${host}:${config.port}`;
}

/** Settings that each entry of the file has for itself. */
function besideProvidersFile(config: Config): string | false {
  const beside = [
    config.idpOrigin !== null && 'IDP_ORIGIN',
    config.idpIssuer !== null && 'IDP_ISSUER',
    config.idpFormerIssuer !== null && 'IDP_FORMER_ISSUER',
    config.idpRequiredScopes.length > 0 && 'IDP_REQUIRED_SCOPES',
    config.webClientId !== null && 'WEB_CLIENT_ID',
    config.maxTokenLifetimeSeconds !== null && 'MAX_TOKEN_LIFETIME_SECONDS',
    // These settings have defaults. Another value was meant for the entries, which ignore the setting.
    config.idpJwksPath !== '/.well-known/jwks.json' && 'IDP_JWKS_PATH',
    config.allowedAlgorithms.join() !== 'RS256' && 'ALLOWED_ALGORITHMS',
    config.requireAtJwt && 'REQUIRE_AT_JWT',
  ].filter((name) => name !== false);
  return (
    beside.length > 0 &&
    `IDPS_FILE and ${beside.join(', ')} are set, but each provider in that file has its own values. Set one or the other, for example IDPS_FILE=/etc/vestibule/providers.yaml`
  );
}

export const providerRules: readonly Rule[] = [
  (config) => {
    const namesake = config.providers.find(({ issuers }) => issuers.includes(ownIssuer(config)));
    const who = config.idpsFile === null ? 'the identity provider' : `the provider "${namesake?.name}"`;
    return (
      namesake !== undefined &&
      `BASE_URL is also the issuer of ${who} ("${ownIssuer(config)}"), so the service cannot tell their tokens apart. Set BASE_URL to the address of the service. Example: BASE_URL=https://api.example.org`
    );
  },
  (config) => {
    const former = config.providers.find(({ formerIssuer }) => formerIssuer === ownIssuer(config));
    return (
      former !== undefined &&
      `${former.settings.formerIssuer} is BASE_URL ("${ownIssuer(config)}"), so a person and a client of POST /token could share records. Set it to the issuer that the provider had before, for example https://old.example.org`
    );
  },
  (config) =>
    config.web === 'on' &&
    config.providers.every(({ webClientId }) => webClientId === null) &&
    `WEB is on, but ${config.idpsFile === null ? 'WEB_CLIENT_ID is not set' : 'no provider in IDPS_FILE has a "web_client_id"'}. Set the client id of the frontend at the provider. Example: ${config.idpsFile === null ? 'WEB_CLIENT_ID=vestibule-web' : 'web_client_id: vestibule-web'}`,
];

export function isBehindProxy(config: Pick<Config, 'trustedProxies'>): boolean {
  return config.trustedProxies.rules.length > 0;
}

/** A path is a socket; without a host the driver connects to this machine. */
function leavesTheMachine(url: string): boolean {
  const host = hostOf(url);
  return host !== '' && !host.startsWith('/') && !isLoopback(host);
}
