import { logoutPath } from '../../base/addresses.ts';
import { OperatorError } from '../../base/errors.ts';
import { createSecret } from '../../base/random.ts';
import { scopesOf } from '../../base/scopes.ts';
import type { Collection } from '../../collections/collection.ts';
import { readCollectionFiles } from '../../config/files.ts';
import { type Environment, loadConfig, settingsInForce } from '../../config/load.ts';
import type { Config } from '../../config/settings.ts';
import { administer } from '../database.ts';
import { write } from '../output.ts';
import type { DevProviderOptions } from './configuration.ts';
import {
  type DevOptions,
  developmentEnvironment,
  ensureExampleClient,
  loopback,
  redirectUrisOf,
  unusedSettings,
  usersFile,
  webClientId,
} from './environment.ts';
import { followFiles } from './follow-files.ts';
import type { DevProvider } from './provider.ts';
import { controlPath, findRunningDev, writeRunningFile } from './running.ts';
import { readDevUsers, readUsersFile } from './users.ts';
import { logText, reloadedText, welcome } from './welcome.ts';

/** Starts the provider, the service, and watchers that apply changed files. */
export async function startDevelopment(environment: Environment, options: DevOptions) {
  const settings = developmentEnvironment(environment, options);
  const config = await loadConfig(settings);
  const unused = unusedSettings(environment, settings);
  if (unused.length > 0)
    write(`"dev" ignores ${unused.join(', ')}. "dev --help" lists what it uses.\n`, process.stderr);
  const secret = createSecret();
  let collections = await readCollections(config);
  let users = readDevUsers();
  await using parts = new AsyncDisposableStack();
  const provider = await startProvider({
    port: Number(options.providerPort),
    audience: config.apiAudience,
    scopes: () => scopesOf(collections),
    users: () => users,
    accessTokenSeconds: options.tokenSeconds,
    webClient: {
      id: webClientId,
      ...redirectUrisOf(config),
      refreshTokens: options.refreshTokens,
      logoutUri: `${config.baseUrl}${logoutPath}`,
    },
    controlSecret: secret,
  });
  parts.defer(() => provider.stop());
  const client = await administer(config, 'dev', ensureExampleClient);
  // Loaded once the settings are valid, so that a mistake in them is reported at once.
  const { startDevService } = await import('../../compose/development.ts');
  const service = await startDevService(
    {
      config,
      settings: settingsInForce(settings),
      logText,
      allowBreaking: options.allowBreakingSchemas === true,
    },
    collections,
  );
  parts.defer(() => service.stop());
  const opsPort = new URL(service.app.opsAddress).port;
  const running = { control: `${provider.origin}${controlPath}`, secret };
  parts.defer(writeRunningFile({ ...running, settings: { ...settings, OPS_PORT: opsPort } }));
  parts.defer(
    followFiles(
      () => readCollectionFiles(config.collectionsDir),
      async () => {
        const changed = await readCollections(config);
        const { findWider } = await import('../../operate/check.ts');
        const wider = await findWider(config);
        await service.serve(changed);
        collections = changed;
        return [...wider, reloadedText(collections)].join('\n');
      },
      'The collections are served as they were before this change.',
    ),
  );
  parts.defer(
    followFiles(
      readUsersFile,
      async () => {
        users = readDevUsers();
        return `The scopes of users have changed (${usersFile}). They apply to "dev token" at once, and in a browser after a sign-out.\n`;
      },
      'Users have the scopes that they had before this change.',
    ),
  );
  write(welcome(service.app, provider, config, client));
  const { log } = service.app;
  const all = parts.move();
  return { log, stop: () => all.disposeAsync(), reload: () => service.app.reload() };
}

async function readCollections(config: Config): Promise<readonly Collection[]> {
  const { readDeclaredCollections } = await import('../../compose/declared-collections.ts');
  return readDeclaredCollections(config);
}

async function startProvider(options: DevProviderOptions): Promise<DevProvider> {
  // Loaded only here: the provider is an optional package, and `serve` runs without it.
  const { startDevProvider } = await import('./provider.ts').catch((error: { code?: string }) => {
    if (error.code !== 'ERR_MODULE_NOT_FOUND') throw error;
    throw new OperatorError(
      'The development provider is not installed. It is the optional package oidc-provider, and optional packages were left out here. Install it with: npm install --include=optional',
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
      `Port ${options.port} on ${loopback} is taken by another process. Stop it, or choose another port for the provider, for example: npx vestibule dev --provider-port ${options.port + 1}`,
    );
  }
}
