import { type Environment, mistakesInFile } from '../../config/load.ts';
import type { Config } from '../../config/settings.ts';

export const loopback = '127.0.0.1';
export const dataFolder = './data';
/** The client id of the reference page, and of the frontends of CORS_ORIGINS. */
export const webClientId = 'dev-web';

interface Choices {
  readonly port?: string;
  readonly providerPort: string;
  readonly dpop?: boolean;
}

/**
 * Loopback only, with its own provider and a database that `serve` does not open by default: it has a client whose secret
 * is printed. Only harmless settings are used, so that production settings in the shell do not reach production.
 */
export function developmentEnvironment(environment: Environment, choices: Choices): Environment {
  const port = choices.port ?? environment.PORT ?? '8080';
  return {
    HOST: loopback,
    PORT: port,
    BASE_URL: `http://${loopback}:${port}`,
    IDP_ORIGIN: `http://${loopback}:${choices.providerPort}`,
    IDP_JWKS_PATH: '/jwks',
    API_AUDIENCE: `http://${loopback}:${port}/api/consumer`,
    DATABASE_URL: `sqlite:${dataFolder}/dev.db`,
    WEB: 'on',
    WEB_CLIENT_ID: webClientId,
    WEB_SCOPES: 'consumer',
    DPOP: choices.dpop ? 'page' : 'on',
    OPS_PORT: environment.OPS_PORT,
    // A line for each request would scroll away what is printed at the start.
    LOG_LEVEL: environment.LOG_LEVEL || 'warn',
    CORS_ORIGINS: environment.CORS_ORIGINS,
    COLLECTIONS_DIR: environment.COLLECTIONS_DIR,
    // Every caller is new here, and tests write much.
    NEWCOMERS_PER_HOUR: '0',
    WEBHOOK_ALLOW: 'loopback',
    [mistakesInFile]: environment[mistakesInFile],
  };
}

/** The redirect paths of a frontend of CORS_ORIGINS, compared exactly. */
const frontendHomes = ['/', '/callback'];

/** Redirect URIs. The reference page comes back to the name that it was opened by. */
export function homesOf({ port, corsOrigins }: Pick<Config, 'port' | 'corsOrigins'>) {
  const own = [`http://${loopback}:${port}/`, `http://localhost:${port}/`];
  const others = corsOrigins.flatMap((origin) => frontendHomes.map((home) => `${origin}${home}`));
  const homes = [...new Set([...own, ...others])];
  return { redirectUris: homes, postLogoutRedirectUris: homes };
}
