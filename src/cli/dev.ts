import type { Command } from 'commander';
import { logoutPath } from '../base/addresses.ts';
import { OperatorError } from '../base/errors.ts';
import { createSecret } from '../base/random.ts';
import { scopesOf } from '../base/scopes.ts';
import type { Collection } from '../collections/collection.ts';
import { readCollectionFiles } from '../config/files.ts';
import { integer } from '../config/kinds.ts';
import { type Environment, loadConfig } from '../config/load.ts';
import type { Config } from '../config/settings.ts';
import { administer } from './database.ts';
import type { DevProviderOptions } from './dev/configuration.ts';
import {
  developmentEnvironment,
  ensureExampleClient,
  homesOf,
  loopback,
  webClientId,
} from './dev/environment.ts';
import { followFiles } from './dev/follow-files.ts';
import type { DevProvider } from './dev/provider.ts';
import { controlPath, findRunningDev, requestUserToken, writeRunningFile } from './dev/running.ts';
import { readDevUsers, readUsersFile, usersFile } from './dev/users.ts';
import { logText, servedAnew, welcome } from './dev/welcome.ts';
import { optionOf } from './options.ts';
import { write } from './output.ts';
import { allowBreakingOption, runUntilSignal } from './serve.ts';
import type { CommandSettings } from './settings.ts';

interface DevOptions {
  readonly port?: string;
  readonly providerPort: string;
  readonly tokenSeconds: number;
  readonly refreshTokens: boolean;
  readonly dpop?: boolean;
  readonly allowBreakingSchemas?: boolean;
}

/** `vestibule dev`: the service and a real OpenID Connect provider beside it, with nothing to set. */
export function addTo(program: Command, settings: CommandSettings): void {
  const dev = program
    .command('dev')
    .description('run the service with a provider of its own on loopback, for development')
    .option('--port <number>', 'the port of the service (default: PORT, else 8080)')
    .option('--provider-port <number>', 'the port of the provider', '3000')
    .option(
      '--token-seconds <number>',
      'how long the access tokens of the provider live',
      optionOf(integer(1, 86400)),
      600,
    )
    .option('--no-refresh-tokens', 'let the provider give the frontend no refresh tokens')
    .option('--dpop', 'let the page have its tokens bound to a key that never leaves the browser (DPoP)')
    .option(...allowBreakingOption)
    .addHelpText('after', helpText)
    .action((options: DevOptions) => runUntilSignal(() => startDevelopment(settings.given(), options)));
  dev
    .command('token')
    .description('print the access token of a user of the "dev" that runs in this folder')
    .requiredOption('--user <name>', 'who it is for; every name exists, such as ada')
    .option('--scope <names...>', 'the scopes it has (default: all that the user has)')
    .action(async ({ user, scope = [] }: { user: string; scope?: readonly string[] }) => {
      write(`${await requestUserToken(user, scope)}\n`);
    });
}

const helpText = `
Of the settings it takes PORT, OPS_PORT, LOG_LEVEL, CORS_ORIGINS (whose origins
can sign in, too) and COLLECTIONS_DIR. Its database is ./data/dev.db, whatever
DATABASE_URL says; "serve" has another one. Commands that work on a database
take that of the "dev" that runs in their folder, and say so, unless
DATABASE_URL is set. Collections that change are read again while it runs. A
user has every scope, or those of a line in ./${usersFile}, such as
"ada: [notes.read]". It logs warnings and errors as text; with LOG_LEVEL=info
every request.`;

async function startDevelopment(environment: Environment, options: DevOptions) {
  const settings = developmentEnvironment(environment, options);
  const config = await loadConfig(settings);
  const secret = createSecret();
  let collections = await readCollections(config);
  let users = readDevUsers();
  await using parts = new AsyncDisposableStack();
  const provider = await startProvider(options, {
    port: Number(options.providerPort),
    audience: config.apiAudience,
    scopes: () => scopesOf(collections),
    users: () => users,
    accessTokenSeconds: options.tokenSeconds,
    webClient: {
      id: webClientId,
      ...homesOf(config),
      refreshTokens: options.refreshTokens,
      logoutUri: `${config.baseUrl}${logoutPath}`,
    },
    controlSecret: secret,
  });
  parts.defer(() => provider.stop());
  const client = await administer(config, 'dev', ensureExampleClient);
  // Loaded once the settings are right, so that a mistake in them is reported at once.
  const { DevService } = await import('../app/development.ts');
  const service = await DevService.start(
    { config, logText, allowBreaking: options.allowBreakingSchemas === true },
    collections,
  );
  parts.defer(() => service.stop());
  const opsPort = new URL(service.app.opsAddress).port;
  const running = { control: `${provider.origin}${controlPath}`, secret };
  parts.defer(writeRunningFile({ ...running, settings: { ...settings, OPS_PORT: opsPort } }));
  parts.defer(
    followFiles({
      read: () => readCollectionFiles(config.collectionsDir),
      async takeUp() {
        const changed = await readCollections(config);
        await service.serve(changed);
        collections = changed;
        return servedAnew(collections);
      },
      otherwise: 'The collections are served as they were before this change.',
    }),
  );
  parts.defer(
    followFiles({
      read: readUsersFile,
      async takeUp() {
        users = readDevUsers();
        return `The scopes of users have changed (${usersFile}). They count for "dev token" at once, and in a browser after a sign-out.\n`;
      },
      otherwise: 'Users have the scopes that they had before this change.',
    }),
  );
  write(welcome({ app: service.app, provider, config, client }));
  const { log } = service.app;
  const all = parts.move();
  return { log, stop: () => all.disposeAsync(), reload: () => service.app.reload() };
}

async function readCollections(config: Config): Promise<readonly Collection[]> {
  const { readDeclaredCollections } = await import('../app/declared-collections.ts');
  return readDeclaredCollections(config);
}

async function startProvider(
  { providerPort }: DevOptions,
  options: DevProviderOptions,
): Promise<DevProvider> {
  // Loaded only here: the provider is an optional package, and `serve` runs without it.
  const { startDevProvider } = await import('./dev/provider.ts').catch((error: { code?: string }) => {
    if (error.code !== 'ERR_MODULE_NOT_FOUND') throw error;
    throw new OperatorError(
      'The development provider is not installed: it is an optional package (oidc-provider), and those were left out here. Install it with: npm install --include=optional',
    );
  });
  try {
    return await startDevProvider(options);
  } catch (error) {
    if ((error as { code?: string }).code !== 'EADDRINUSE') throw error;
    const running = await findRunningDev();
    if ('settings' in running)
      throw new OperatorError(
        `"npx vestibule dev" already runs in this folder, at ${running.settings.BASE_URL}. Use that one, or stop it first (Ctrl-C in its shell).`,
      );
    throw new OperatorError(
      `Port ${providerPort} on ${loopback} is taken by another process. Stop it, or choose another port for the provider, for example: npx vestibule dev --provider-port ${Number(providerPort) + 1}`,
    );
  }
}
