import { availableParallelism } from 'node:os';
import { setFlagsFromString } from 'node:v8';
import { keyRules, openAdministration, readDeclaredCollections } from './administration.ts';
import { ProviderKeys } from './auth/provider-keys.ts';
import { signedDocumentOpener } from './auth/signed-document.ts';
import { TokenCache } from './auth/token-cache.ts';
import { createVerifier } from './auth/verifier.ts';
import { consumerPrefix, resourceMetadataPath, tokenPath } from './base/addresses.ts';
import { type Clock, systemClock } from './base/clock.ts';
import { ConfirmedTime } from './base/confirmed-time.ts';
import { OperatorError } from './base/errors.ts';
import { createLog, type Log } from './base/log.ts';
import { standardOutput } from './base/log-output.ts';
import { createRequestIds } from './base/random.ts';
import { scopesOf } from './base/scopes.ts';
import { readTls } from './config/files.ts';
import { isBehindProxy, ownIssuer, providerIssuers } from './config/rules.ts';
import type { Config } from './config/settings.ts';
import type { Collection } from './consumer/collections/collection.ts';
import { putInForce } from './consumer/collections/put-in-force.ts';
import { createPseudonym } from './consumer/pseudonym.ts';
import type { BatchRulesData } from './consumer/records/decide/write-rules.ts';
import { createKeyedDigest } from './consumer/records/keyed-digest.ts';
import { ReadLimit } from './consumer/records/requests/read-limit.ts';
import { Sweeper } from './consumer/records/sweeper.ts';
import { WriteQueue } from './consumer/records/write-queue.ts';
import { Registry } from './consumer/registry.ts';
import { Standing } from './consumer/standing.ts';
import { readBuiltFiles } from './frontend/built-files.ts';
import { frontendContentPolicy } from './frontend/content-policy.ts';
import { createAuthenticate } from './http/authenticate.ts';
import { addressFinder, isTrustedProxy } from './http/client-address.ts';
import { Listener } from './http/listener.ts';
import { createObserve } from './http/observe.ts';
import { createReceive } from './http/receive.ts';
import { RefusalLimit } from './http/refusal-limit.ts';
import { createCountRefused } from './http/refused-connections.ts';
import { opsRoutes, serviceRoutes } from './http/routes.ts';
import { createServer, type ServerParts } from './http/server.ts';
import { createTransportCheck } from './http/transport.ts';
import { ownRules, providerJwksUrl, providerRules } from './issuer-rules.ts';
import { createMetrics } from './ops/metrics.ts';
import { OutageLog } from './ops/outage-log.ts';
import { createCheckAssertion } from './tokens/assertion.ts';
import { createAuthenticateClient } from './tokens/authenticate-client.ts';
import { ClientDirectory } from './tokens/client-directory.ts';
import { ConcurrencyLimit } from './tokens/concurrency-limit.ts';
import { assertionAlgorithms } from './tokens/metadata.ts';
import { createMint } from './tokens/mint.ts';
import { SigningKeys } from './tokens/signing-keys.ts';
import { Throttle } from './tokens/throttle.ts';

/** What a test may replace; the service runs on the real ones. */
export interface Surroundings {
  readonly clock?: Clock;
}

export interface App {
  readonly address: string;
  readonly opsAddress: string;
  readonly log: Log;
  stop(): Promise<void>;
  /** Takes up a renewed certificate. */
  reload(): void;
}

/** Builds every part once, in this order, and starts it. To stop, or when a part fails, the same way backwards. */
export async function startApp(config: Config, surroundings: Surroundings = {}): Promise<App> {
  // V8 looks for garbage whenever the heap has grown by a fifth, instead of by half or more: what is remembered of tokens
  // and callers lives long and is let go by the thousand, and took a quarter more memory than what was alive.
  setFlagsFromString('--heap-growing-percent=20');
  const clock = surroundings.clock ?? systemClock;
  const output = standardOutput();
  const log = createLog(config.logLevel, output);
  const time = new ConfirmedTime(clock, log);
  const tls = readTls(config);
  const builtFrontend = config.web === 'on' ? readBuiltFiles() : null;

  await using parts = new AsyncDisposableStack();
  const declared = await readDeclaredCollections(config);
  const { storage, keyring, clientMac, audit, keySetMemory, ...administration } = await openAdministration(
    config,
    'serve',
    clock,
  );
  parts.defer(() => storage.close());
  const allowBreaking = config.allowBreakingSchemas;
  await putInForce({
    declared,
    declarations: administration.declarations,
    records: storage.records,
    allowBreaking,
  });
  const signingKeys = new SigningKeys({
    ...keyRules(config),
    store: storage.signingKeys,
    sealingKey: keyring.signingKeys,
    audit,
    clock,
    time,
    log,
  });
  await signingKeys.start();
  parts.defer(() => signingKeys.stop());
  const writes = new WriteQueue({
    store: await storage.openBatches({
      module: new URL('./consumer/records/decide/write-rules.ts', import.meta.url).href,
      data: {
        collections: declared.map(({ checkFields: _, ...plain }) => plain),
        prefix: consumerPrefix,
        newcomersPerHour: config.newcomersPerHour,
        digestKey: keyring.records,
      } satisfies BatchRulesData,
    }),
    clock,
  });
  parts.defer(() => writes.stop());
  const metrics = createMetrics(() => providerKeys.status());
  const providerKeys = new ProviderKeys({
    url: providerJwksUrl(config),
    algorithms: config.allowedAlgorithms,
    maxStaleSeconds: config.jwksMaxStaleSeconds,
    memory: keySetMemory(config),
    clock,
    log,
    onFetch: metrics.countKeyFetch,
  });
  const issuers = [
    { ...providerRules(config), keys: providerKeys },
    { ...ownRules(config), keys: signingKeys },
  ];
  const tokenCache = new TokenCache({
    verify: createVerifier(issuers, clock),
    pseudonymOf: createPseudonym(keyring.pseudonym),
    maxEntries: config.tokenCacheEntries,
    clock,
  });
  const digest = createKeyedDigest(keyring.records);
  const registry = new Registry({ store: storage.consumers, writes, clock });
  const directory = new ClientDirectory({ store: storage.clients, clientMac, log });
  const standing = new Standing({
    store: storage.standing,
    clients: directory,
    ownIssuer: ownIssuer(config),
    async onChange() {
      registry.forget();
      void signingKeys.reload();
    },
    clock,
    log,
  });

  const issuer = ownIssuer(config);
  let stage: 'open' | 'draining' | 'closing' = 'open';
  const shared = {
    limits: config,
    requestId: createRequestIds(),
    authenticate: createAuthenticate(tokenCache, (caller) => standing.check(caller)),
    addressOf: addressFinder(config.trustedProxies),
    isProxy: (address: string) => isTrustedProxy(config.trustedProxies, address),
  };
  const service = createServer({
    ...shared,
    tls,
    https: tls !== null || isBehindProxy(config),
    corsOrigins: config.corsOrigins,
    refusals: new RefusalLimit(config.refusalsPerMinute, clock),
    receive: createReceive(() => stage === 'closing', createTransportCheck(config.trustedProxies)),
    isClosing: () => stage === 'closing',
    onRefusedConnection: createCountRefused({ metrics, clock, log }),
    observe: createObserve(log, metrics, new OutageLog(log, clock)),
    resourceMetadata: `${issuer}${resourceMetadataPath}`,
    routes: serviceRoutes({
      issuer,
      protectedResource: {
        resource: issuer,
        issuers: [providerIssuers(config)[0] as string, issuer],
        scopes: config.idpRequiredScopes,
      },
      signingKeys,
      collections: declared,
      records: {
        store: storage.records,
        registry,
        reads: new ReadLimit(config.readsPerMinute, clock),
        attempts: new ReadLimit(config.readsPerMinute, clock),
        erasures: new ReadLimit(10, clock),
        forgetTokensOf: (owner) => tokenCache.forget(owner),
        digest,
        writes,
        clock,
      },
      authenticate: createAuthenticateClient({
        directory,
        store: storage.clients,
        secretKey: keyring.clientSecrets,
        checkAssertion: createCheckAssertion({
          openSigned: signedDocumentOpener(assertionAlgorithms),
          store: storage.assertions,
          audiences: [issuer, `${issuer}${tokenPath}`],
          clock,
          time,
        }),
        clock,
        log,
      }),
      frontend: builtFrontend && { files: builtFrontend, ...frontendOf(config, declared) },
      throttle: new Throttle(config.tokenFailuresPerMinute, clock),
      ttlSeconds: config.tokenTtlSeconds,
      mint: createMint({
        issuer,
        audience: config.apiAudience,
        ttlSeconds: config.tokenTtlSeconds,
        keys: signingKeys,
        limit: new ConcurrencyLimit(signingLimit()),
        clock,
      }),
    }),
  });
  const ops = createServer({
    ...shared,
    ...plainInternal,
    routes: opsRoutes({ storage, providerKeys, metrics, isStopping: () => stage !== 'open', clock }),
  });

  await providerKeys.start();
  parts.defer(() => providerKeys.stop());
  await standing.start();
  parts.defer(() => standing.stop());
  const sweeper = new Sweeper({
    store: storage.records,
    consumers: storage.consumers,
    collections: declared,
    onBroughtBack: () => registry.forget(),
    onScrubDue: metrics.setScrubDue,
    clock,
    time,
    log,
  });
  sweeper.start();
  parts.defer(() => sweeper.stop());
  const opsListener = new Listener(ops, clock);
  const opsAddress = await opsListener.listen(config.opsHost, config.opsPort, 'OPS_PORT');
  parts.defer(() => opsListener.close(opsShutdownMs));
  metrics.watchConnections(() => service.connections.size);
  metrics.watchLog(() => output.dropped);
  const listener = new Listener(service, clock);
  const address = await listener.listen(config.host, config.port, 'PORT');
  parts.defer(async () => {
    stage = 'draining';
    await new Promise<void>((resolve) => clock.after(config.drainSeconds * 1000, resolve));
    stage = 'closing';
    await listener.close(config.shutdownSeconds * 1000);
  });

  log.info({ address, ops_address: opsAddress, issuer }, 'listening');
  const running = parts.move();
  const reload = () => renewCertificate(config, listener, log);
  return { address, opsAddress, log, stop: () => running.disposeAsync(), reload };
}

/** What the frontend is told: whom to sign in at, as whom, and what to ask for. */
function frontendOf(config: Config, collections: readonly Collection[]) {
  const [issuer = config.idpOrigin] = providerIssuers(config);
  const further = [...config.idpRequiredScopes, ...scopesOf(collections), ...config.webScopes];
  const scopes = new Set(['openid', 'profile', ...further]);
  const issuerOrigin = URL.parse(issuer)?.origin ?? config.idpOrigin;
  return {
    issuer,
    clientId: config.webClientId ?? '',
    audience: config.apiAudience,
    scopes: [...scopes],
    contentPolicy: frontendContentPolicy({
      provider: [issuerOrigin, config.idpOrigin],
      pictures: config.webImageOrigins,
    }),
  };
}

/** The ops port: plain HTTP for the machine's own eyes, open until the very end, and not counted. */
const plainInternal = {
  tls: null,
  https: false,
  corsOrigins: [],
  refusals: null,
  receive: createReceive(() => false, null),
  isClosing: () => false,
  onRefusedConnection: () => {},
  observe: () => () => {},
  resourceMetadata: null,
} satisfies Partial<ServerParts>;

/** As many as there are cores, so that Node's thread pool has threads left; as many in line as take two seconds on two cores. */
function signingLimit() {
  return {
    running: Math.min(availableParallelism(), 3),
    waiting: 1_000,
    refusal: 'signing_overloaded',
  } as const;
}

const opsShutdownMs = 1_000;

/** A certificate that cannot be read changes nothing. */
function renewCertificate(config: Config, listener: Listener, log: Log): void {
  try {
    const tls = readTls(config);
    if (tls === null) return;
    listener.renew(tls);
    log.info('certificate read again');
  } catch (error) {
    if (!(error instanceof OperatorError)) throw error;
    log.error({ detail: error.message }, 'certificate not read again, the old one stays');
  }
}
