import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import type { Command } from 'commander';
import type { Administration } from '../administration.ts';
import { OperatorError } from '../base/errors.ts';
import { createMasterSecret } from '../base/random.ts';
import { scopesOf } from '../base/scopes.ts';
import { integer } from '../config/kinds.ts';
import { type Environment, loadConfig } from '../config/load.ts';
import type { Config } from '../config/settings.ts';
import { administer } from './database.ts';
import type { DevProviderOptions } from './dev/configuration.ts';
import type { DevProvider } from './dev/provider.ts';
import { welcome } from './dev/welcome.ts';
import { runUntilSignal, startService } from './serve.ts';

const loopback = '127.0.0.1';
const webClientId = 'dev-web';
const clientId = 'dev-client';
const clientFile = './data/dev-client.secret';

interface DevOptions {
  readonly port?: string;
  readonly providerPort: string;
  readonly tokenSeconds: string;
  readonly refreshTokens: boolean;
}

/** `vestibule dev`: the service and a real OpenID Connect provider beside it, with nothing to set. */
export function addTo(program: Command, environment: () => Environment): void {
  program
    .command('dev')
    .description('run the service with a provider of its own on loopback, for development')
    .option('--port <number>', 'the port of the service (default: PORT, else 8080)')
    .option('--provider-port <number>', 'the port of the provider', '3000')
    .option('--token-seconds <number>', 'how long the access tokens of the provider live', '600')
    .option('--no-refresh-tokens', 'let the provider give the frontend no refresh tokens')
    .action((options: DevOptions) => runUntilSignal(() => startDevelopment(environment(), options)));
}

async function startDevelopment(environment: Environment, options: DevOptions) {
  const config = loadConfig(developmentEnvironment(environment, options));
  const machineClient = { id: 'dev-machine', secret: createMasterSecret() };
  const { readDeclaredCollections } = await import('../administration.ts');
  const collections = await readDeclaredCollections(config);
  const provider = await startProvider(options, {
    port: Number(options.providerPort),
    audience: config.apiAudience,
    scopes: scopesOf(collections),
    accessTokenSeconds: readTokenSeconds(options),
    machineClient,
    webClient: {
      id: webClientId,
      ...homesOf(config),
      refreshTokens: options.refreshTokens,
    },
  });
  try {
    const secret = await administer(config, 'dev', ensureClient);
    const app = await startService(config);
    const stop = async () => {
      await app.stop();
      await provider.stop();
    };
    process.stdout.write(welcome({ app, provider, config, machineClient, client: { id: clientId, secret } }));
    return { log: app.log, stop, reload: () => app.reload() };
  } catch (error) {
    await provider.stop();
    throw error;
  }
}

/**
 * A world of its own: loopback, the provider beside us, a database of its own. Of what is set, only what cannot reach
 * anything real is taken over: whoever has production settings in the shell must not develop on production.
 */
function developmentEnvironment(environment: Environment, options: DevOptions): Environment {
  const port = options.port ?? environment.PORT ?? '8080';
  return {
    HOST: loopback,
    PORT: port,
    BASE_URL: `http://${loopback}:${port}`,
    IDP_ORIGIN: `http://${loopback}:${options.providerPort}`,
    IDP_JWKS_PATH: '/jwks',
    API_AUDIENCE: `http://${loopback}:${port}/api/consumer`,
    WEB: 'on',
    WEB_CLIENT_ID: webClientId,
    WEB_SCOPES: 'consumer',
    OPS_PORT: environment.OPS_PORT,
    LOG_LEVEL: environment.LOG_LEVEL,
    CORS_ORIGINS: environment.CORS_ORIGINS,
  };
}

/** The frontend comes back to where it was opened, by either name of this machine. */
function homesOf({ port }: Config) {
  const homes = [`http://${loopback}:${port}/`, `http://localhost:${port}/`];
  return { redirectUris: homes, postLogoutRedirectUris: homes };
}

function readTokenSeconds({ tokenSeconds }: DevOptions): number {
  try {
    return integer(1, 86400)(tokenSeconds);
  } catch (error) {
    throw new OperatorError(`--token-seconds ${(error as Error).message}; found "${tokenSeconds}".`);
  }
}

async function startProvider(
  { providerPort }: DevOptions,
  options: DevProviderOptions,
): Promise<DevProvider> {
  // Loaded only here: the provider is a development dependency, and `serve` runs without it.
  const { startDevProvider } = await import('./dev/provider.ts').catch((error: { code?: string }) => {
    if (error.code !== 'ERR_MODULE_NOT_FOUND') throw error;
    throw new OperatorError(
      'The development provider is not installed. Install the development dependencies with: npm ci',
    );
  });
  try {
    return await startDevProvider(options);
  } catch (error) {
    if ((error as { code?: string }).code !== 'EADDRINUSE') throw error;
    throw new OperatorError(
      `Port ${providerPort} on ${loopback} is taken by another process. Stop it, or choose another port for the provider, for example: npm start -- --provider-port ${Number(providerPort) + 1}`,
    );
  }
}

/** One client for the examples, added once; its secret stays in a file for its owner, so that they work every time. */
async function ensureClient({ storage, clients }: Administration): Promise<string> {
  if (existsSync(clientFile)) {
    const secret = readFileSync(clientFile, 'utf8').trim();
    if (await clients.hasSecret(clientId, secret)) return secret;
  }
  if ((await storage.clients.find(clientId)) !== null) await clients.remove(clientId);
  const label = 'the client of the examples';
  const secret = (await clients.add({ id: clientId, label, scopes: [], publicKey: null })) ?? '';
  mkdirSync('./data', { recursive: true, mode: 0o700 });
  writeFileSync(clientFile, `${secret}\n`, { mode: 0o600 });
  return secret;
}
