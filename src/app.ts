import type { TrustedIssuer } from './auth/issuers.ts';
import { deriveKeyring, type Keyring } from './auth/keyring.ts';
import { checkMasterSecret } from './auth/master-secret.ts';
import { RemoteKeys } from './auth/remote-keys.ts';
import { createVerifier } from './auth/verifier.ts';
import { type Clock, systemClock } from './base/clock.ts';
import { OperatorError } from './base/errors.ts';
import { createLog, type Log } from './base/log.ts';
import { createRequestIds } from './base/random.ts';
import { readMasterSecret, readTls } from './config/files.ts';
import { isBehindProxy, ownIssuer, providerIssuers } from './config/rules.ts';
import type { Config, StorageConfig } from './config/settings.ts';
import { createPseudonym } from './consumer/pseudonym.ts';
import { createAuthenticate } from './http/authenticate.ts';
import { createObserve } from './http/observe.ts';
import { opsRoutes, serviceRoutes } from './http/routes.ts';
import { createServer, type ServerParts } from './http/server.ts';
import { createTransportCheck } from './http/transport.ts';
import { createMetrics } from './ops/metrics.ts';
import type { Storage } from './storage/port.ts';
import { openPostgres } from './storage/postgres/engine.ts';
import { openSqlite } from './storage/sqlite/engine.ts';
import { createStorage } from './storage/storage.ts';
import { Clients } from './tokens/clients.ts';
import { createMint, ownKeySource } from './tokens/own-issuer.ts';
import { openSigningKeys, type SigningKey, signingAlgorithm } from './tokens/signing-keys.ts';

/** What a test may replace; the service runs on the real ones. */
export interface Surroundings {
  readonly clock?: Clock;
  readonly log?: Log;
}

export interface App {
  readonly address: string;
  readonly opsAddress: string;
  readonly log: Log;
  stop(): Promise<void>;
}

/** Builds every part once, in this order, and starts it. To stop, or when a part fails, the same way backwards. */
export async function startApp(config: Config, surroundings: Surroundings = {}): Promise<App> {
  const clock = surroundings.clock ?? systemClock;
  const log = surroundings.log ?? createLog(config.logLevel);
  const tls = readTls(config);

  await using parts = new AsyncDisposableStack();
  const { storage, keyring, clients } = await openAdministration(config, clock);
  parts.defer(() => storage.close());
  const signingKeys = await openSigningKeys(storage.signingKeys, keyring.signingKeys, clock);
  const providerKeys = new RemoteKeys({
    url: `${config.idpOrigin}${config.idpJwksPath}`,
    algorithms: config.allowedAlgorithms,
    maxStaleSeconds: config.jwksMaxStaleSeconds,
    clock,
    log,
  });
  const issuers = [theProvider(config, providerKeys), ourselves(config, signingKeys)];
  const verify = createVerifier(issuers, clock);
  const metrics = createMetrics(() => providerKeys.status().ageSeconds);

  let stopping = false;
  const isStopping = () => stopping;
  const shared = { limits: config, requestId: createRequestIds(), authenticate: createAuthenticate(verify) };
  const service = createServer({
    ...shared,
    tls,
    https: tls !== null || isBehindProxy(config),
    corsOrigins: config.corsOrigins,
    checkTransport: createTransportCheck(config.trustedProxies),
    isStopping,
    observe: createObserve(log, metrics),
    routes: serviceRoutes({
      clients,
      signingKeys,
      consumers: storage.consumers,
      pseudonymOf: createPseudonym(keyring.pseudonym),
      clock,
      mint: createMint({
        issuer: ownIssuer(config),
        audience: config.apiAudience,
        ttlSeconds: config.tokenTtlSeconds,
        keys: signingKeys,
        clock,
      }),
    }),
  });
  const ops = createServer({
    ...shared,
    ...plainInternal,
    routes: opsRoutes({ storage, providerKeys, metrics, isStopping }),
  });

  providerKeys.start();
  parts.defer(() => providerKeys.stop());
  const opsAddress = await listen(ops, config.opsHost, config.opsPort, 'OPS_PORT');
  parts.defer(() => ops.close());
  const address = await listen(service, config.host, config.port, 'PORT');
  parts.defer(async () => {
    stopping = true;
    await closeWithin(config.shutdownSeconds * 1000, service, clock);
  });

  log.info({ address, ops_address: opsAddress, issuer: ownIssuer(config) }, 'listening');
  const running = parts.move();
  return { address, opsAddress, log, stop: () => running.disposeAsync() };
}

/** The database and what administers it: all that the commands for clients and keys need. */
export async function openAdministration(config: StorageConfig, clock: Clock = systemClock) {
  const keyring: Keyring = deriveKeyring(readMasterSecret(config));
  const storage: Storage = await openStorage(config, clock);
  try {
    await checkMasterSecret(storage.shelf, keyring);
  } catch (error) {
    await storage.close();
    throw error;
  }
  const clients = new Clients({ store: storage.clients, secretKey: keyring.clientSecrets, clock });
  return { storage, keyring, clients };
}

async function openStorage({ databaseUrl, databasePoolSize }: StorageConfig, clock: Clock): Promise<Storage> {
  const engine =
    databaseUrl.engine === 'sqlite'
      ? await openSqlite(databaseUrl.file)
      : openPostgres(databaseUrl.url, databasePoolSize);
  return createStorage(engine, clock.now());
}

function theProvider(config: Config, keys: RemoteKeys): TrustedIssuer {
  return {
    keys,
    algorithms: new Set(config.allowedAlgorithms),
    requireAtJwt: config.requireAtJwt,
    claims: {
      issuers: providerIssuers(config),
      audience: config.apiAudience,
      requiredScopes: config.idpRequiredScopes,
      clientsOnly: false,
    },
  };
}

function ourselves(config: Config, keys: readonly SigningKey[]): TrustedIssuer {
  return {
    keys: ownKeySource(keys),
    algorithms: new Set([signingAlgorithm]),
    requireAtJwt: true,
    claims: {
      issuers: [ownIssuer(config)],
      audience: config.apiAudience,
      requiredScopes: [],
      clientsOnly: true,
    },
  };
}

/** The ops port: plain HTTP for the machine's own eyes, open until the very end, and not counted. */
const plainInternal = {
  tls: null,
  https: false,
  corsOrigins: [],
  checkTransport: () => {},
  isStopping: () => false,
  observe: () => {},
} satisfies Partial<ServerParts>;

type Server = ReturnType<typeof createServer>;

async function listen(server: Server, host: string, port: number, setting: string): Promise<string> {
  try {
    const address = await server.listen({ host, port });
    // The library does not know of TLS that it did not set up itself.
    return 'setSecureContext' in server.server ? address.replace(/^http:/, 'https:') : address;
  } catch (error) {
    const { code } = error as { code?: string };
    if (code === 'EADDRINUSE') {
      throw new OperatorError(
        `Port ${port} on ${host} is taken by another process. Stop it, or choose another port with ${setting}, for example ${setting}=${port + 10}.`,
      );
    }
    if (code === undefined) throw error;
    throw new OperatorError(`Cannot listen on ${host}:${port} (${code}). Check HOST and ${setting}.`);
  }
}

/** Lets requests in flight finish; past the deadline they are cut off. */
async function closeWithin(deadlineMs: number, server: Server, clock: Clock): Promise<void> {
  const cancel = clock.after(deadlineMs, () => server.server.closeAllConnections());
  await server.close();
  cancel();
}
