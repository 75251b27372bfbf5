import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { makePrivateFolder } from '../../base/files.ts';
import type { Administration } from '../../compose/administration.ts';
import { type Environment, mistakesInFile } from '../../config/load.ts';
import { type Config, environmentName, settings } from '../../config/settings.ts';

/** A file in the working directory with the scopes of users. */
export const usersFile = 'dev-users.yaml';
export const loopback = '127.0.0.1';
export const dataFolder = './data';
/** The clients of frontends at the provider of `dev`: the reference page, and those of CORS_ORIGINS. */
export const webClientId = 'dev-web';

/** What to serve, and the limits. */
const passedThrough = [
  'OPS_PORT',
  'CORS_ORIGINS',
  'COLLECTIONS_DIR',
  'BRAND_FILE',
  'MAX_BODY_BYTES',
  'MAX_CONNECTIONS',
  'MAX_CONNECTIONS_PER_ADDRESS',
  'READS_PER_MINUTE',
  'REFUSALS_PER_MINUTE',
  'REQUEST_TIMEOUT_SECONDS',
  'KEEP_ALIVE_SECONDS',
];

export interface DevOptions {
  readonly port?: string;
  readonly providerPort: string;
  readonly tokenSeconds: number;
  readonly refreshTokens: boolean;
  readonly dpop?: boolean;
  readonly allowBreakingSchemas?: boolean;
}

/** The settings of `dev`: loopback, its own provider and database. Ignores settings that could reach production. */
export function developmentEnvironment(environment: Environment, options: DevOptions): Environment {
  const port = options.port ?? environment.PORT ?? '8080';
  return {
    HOST: loopback,
    PORT: port,
    BASE_URL: `http://${loopback}:${port}`,
    IDP_ORIGIN: `http://${loopback}:${options.providerPort}`,
    IDP_JWKS_PATH: '/jwks',
    API_AUDIENCE: `http://${loopback}:${port}/api/consumer`,
    DATABASE_URL: `sqlite:${dataFolder}/dev.db`,
    WEB: 'on',
    WEB_CLIENT_ID: webClientId,
    WEB_SCOPES: 'consumer',
    DPOP: options.dpop ? 'page' : 'on',
    ...Object.fromEntries(passedThrough.map((name) => [name, environment[name]])),
    // One line per request would scroll the start messages away.
    LOG_LEVEL: environment.LOG_LEVEL || 'warn',
    // In `dev` every caller is a newcomer, and developers write much.
    NEWCOMERS_PER_HOUR: '0',
    WEBHOOK_ALLOW: 'loopback',
    [mistakesInFile]: environment[mistakesInFile],
  };
}

/** The given settings that `dev` replaces with values of its own. PORT counts unless --port is given. */
export function unusedSettings(given: Environment, used: Environment): readonly string[] {
  return Object.keys(settings)
    .map(environmentName)
    .filter((name) => name !== 'PORT' && given[name]?.trim() && given[name] !== used[name]);
}

/** The redirect URIs of a frontend in CORS_ORIGINS. The provider accepts only these, compared exactly. */
const frontendHomes = ['/', '/callback'];

/** The reference page redirects to where it was opened, by either name of this machine. */
export function redirectUrisOf({ port, corsOrigins }: Pick<Config, 'port' | 'corsOrigins'>) {
  const own = [`http://${loopback}:${port}/`, `http://localhost:${port}/`];
  const others = corsOrigins.flatMap((origin) => frontendHomes.map((home) => `${origin}${home}`));
  const homes = [...new Set([...own, ...others])];
  return { redirectUris: homes, postLogoutRedirectUris: homes };
}

const id = 'dev-client';
const file = `${dataFolder}/dev-client.secret`;

/**
 * The machine client of the examples, added once; its secret stays in a file for its owner, so that the examples work at
 * every start.
 */
export async function ensureExampleClient({ storage, clients }: Administration) {
  if (existsSync(file)) {
    const secret = readFileSync(file, 'utf8').trim();
    if (await clients.hasSecret(id, secret)) return { id, secret };
  }
  if ((await storage.clients.find(id)) !== null) await clients.remove(id);
  const label = 'the client of the examples';
  const secret = (await clients.add({ id, label, scopes: [], publicKey: null })) ?? '';
  makePrivateFolder(dataFolder);
  writeFileSync(file, `${secret}\n`, { mode: 0o600 });
  return { id, secret };
}
