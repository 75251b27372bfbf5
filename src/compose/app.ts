import type { Socket } from 'node:net';
import { type Clock, systemClock } from '../base/clock.ts';
import { ConfirmedTime } from '../base/confirmed-time.ts';
import { json } from '../base/handler.ts';
import { createKeyedDigest } from '../base/keyed-digest.ts';
import { createLog, type Log, type LogOutput, standardOutput } from '../base/log.ts';
import { createProgress } from '../base/progress.ts';
import { createRevision } from '../base/random.ts';
import { activateDeclarations, outdatedFault } from '../collections/check-against.ts';
import type { Collection } from '../collections/collection.ts';
import { withoutNewcomerLimit } from '../collections/limits.ts';
import { readOpenFileLimit } from '../config/files.ts';
import type { SettingInForce } from '../config/load.ts';
import { readRelease } from '../config/release.ts';
import { ownIssuer } from '../config/rules.ts';
import type { Config } from '../config/settings.ts';
import { type Limits, shutdownSeconds, withinOpenFiles } from '../http/limits.ts';
import { Listener } from '../http/listener.ts';
import { createOpsServer } from '../http/ops-server.ts';
import { BackgroundLease } from '../ops/background-lease.ts';
import type { Family, Reader } from '../ops/exposition.ts';
import { createReadiness, live, type ReadinessAnswer, startingReadiness } from '../ops/health.ts';
import { createMetrics } from '../ops/metrics.ts';
import { findTracing } from '../ops/tracing.ts';
import { PeopleNames } from '../records/people-names.ts';
import { type BatchRulesData, batchRulesModule } from '../records/rules/batch-rules.ts';
import { Sweeper } from '../records/sweeper.ts';
import { WriteQueue } from '../records/write-queue.ts';
import type { Migration } from '../storage/migrations.ts';
import { SigningKeys } from '../tokens/signing-keys.ts';
import { keyRules, openAdministration } from './administration.ts';
import type { BaseParts } from './base-parts.ts';
import { createCallers } from './callers.ts';
import { readCertificate } from './certificate.ts';
import { startConsole } from './console.ts';
import { createConsoleState } from './console-state.ts';
import { readDeclaredCollections } from './declared-collections.ts';
import { createEventParts } from './events.ts';
import { readFrontend } from './frontend.ts';
import { createService } from './service.ts';
import { createSignOut } from './sign-out.ts';
import { watch } from './watch.ts';

/** Parts that a test may replace; the service runs on the real ones. */
export interface Surroundings {
  readonly clock?: Clock;
  readonly logOutput?: LogOutput;
  readonly steps?: readonly Migration[];
  /** For the console. */
  readonly settings?: readonly SettingInForce[];
  /** Set for one of several processes of a supervisor. */
  readonly member?: {
    readonly process: number;
    /** Called when `App.ready` can be asked, early in the start. */
    readonly onReadable?: (ready: App['ready']) => void;
  };
  /** For `dev`: no limits for newcomers, and log lines as text. */
  readonly development?: {
    readonly collections: readonly Collection[];
    readonly logText: (line: string) => string;
  };
}

export interface App {
  /** Empty if the app listens nowhere itself and gets its connections through `take`. */
  readonly address: string;
  /** Empty if the supervisor answers on the ops port. */
  readonly opsAddress: string;
  readonly log: Log;
  stop(): Promise<void>;
  reload(): void;
  take(socket: Socket): boolean;
  /** GET /readyz and GET /metrics of this process, for the supervisor. */
  ready(): Promise<ReadinessAnswer>;
  families(reader?: Reader): readonly Family[];
  /** The data of this process for the supervisor's console. */
  readonly forConsole: ReturnType<typeof createConsoleState>;
}

const opsShutdownMs = 1_000;

/** Builds and starts every part in this order. They stop in reverse order, also when one fails to start. */
export async function startApp(config: Config, surroundings: Surroundings = {}): Promise<App> {
  const { clock = systemClock, settings = [], steps, member, development } = surroundings;
  const logOutput = surroundings.logOutput ?? standardOutput(member !== undefined);
  const logText = development?.logText;
  const destination = logText ? { write: (line: string) => logOutput.write(logText(line)) } : logOutput;
  const log = createLog(config.logLevel, destination, member && { process: member.process });
  const time = new ConfirmedTime(clock, log);
  const certificate = readCertificate(config);
  const declared = development?.collections ?? (await readDeclaredCollections(config));
  const collections = development === undefined ? declared : declared.map(withoutNewcomerLimit);
  const frontend = readFrontend(config, collections);

  await using parts = new AsyncDisposableStack();
  const metrics = createMetrics();
  const starting = createProgress({ clock, everyMs: 10_000, say: (work) => log.info({ work }, 'starting') });
  parts.defer(() => starting.end());
  // The ops port answers from here on, because a start that builds an index can take minutes.
  let started: Pick<App, 'ready' | 'forConsole'> | null = null;
  const ready = async () => started?.ready() ?? startingReadiness(await starting.text(), config.port);
  member?.onReadable?.(ready);
  const limits = limitsOf(config, log);
  let opsAddress = '';
  if (member === undefined) {
    const consolePage = await startConsole(config, {
      state: async () => started?.forConsole.state() ?? null,
      consumer: async (id) => started?.forConsole.consumer(id) ?? null,
      async read() {
        const families = metrics.families('console');
        return { families, processes: [{ process: 1, endings: 0, families }] };
      },
      ready,
      settings,
      clock,
      log,
    });
    parts.defer(() => consolePage.stop());
    const answerReady = async () => {
      const { status, body } = await ready();
      return json(body, { status });
    };
    const handlers = { live, ready: answerReady, metrics: metrics.expose, console: consolePage.handlers };
    const opsListener = new Listener(createOpsServer(limits, handlers), clock);
    opsAddress = await opsListener.listen(config.opsHost, config.opsPort, 'OPS_PORT');
    parts.defer(() => opsListener.close(opsShutdownMs));
  }

  const administration = await openAdministration(config, 'serve', clock, {
    onNotice: (notice) => log.warn(notice),
    steps,
    begin: starting.begin,
  });
  const { storage, keyring, clientMac, audit, declarations } = administration;
  parts.defer(() => storage.close());
  await activateDeclarations({ declared, declarations, records: storage.records, begin: starting.begin });
  const lease = new BackgroundLease({ store: storage.leases, clock });
  lease.start();
  parts.defer(() => lease.stop());
  const hold = () => lease.hold();
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

  const release = readRelease();
  const tracing = await findTracing(release.version, log);
  const base: BaseParts = { config, storage, keyring, audit, metrics, tracing, clock, time, log };
  const writes = await openWrites(base, collections, {
    onWritten: () => events.notice(),
    onUnavailable: () => readiness.noteRefusedWrite(),
  });
  parts.defer(() => writes.stop());
  const callers = createCallers(base, {
    signingKeys,
    keySetMemory: administration.keySetMemory,
    clientMac,
    writes,
    async onChange(changed) {
      events.recheck(changed);
      if (changed.has('signing_keys')) await signingKeys.reload();
    },
  });
  const { providers, standing, registry } = callers;
  const keySets = () => providers.map(({ name, keys }) => ({ name, ...keys.status() }));
  const names = new PeopleNames(createKeyedDigest(keyring.records));
  const events = createEventParts(base, callers, lease, { collections, names });
  const signOut = createSignOut(base, callers, signingKeys);
  let isStopping = false;
  const service = createService(base, {
    collections,
    names,
    collectionsMayChange: development !== undefined,
    writes,
    signingKeys,
    callers,
    events,
    signOut,
    frontend,
    tls: certificate?.tls ?? null,
    limits,
  });

  for (const { keys } of providers) {
    await keys.start();
    parts.defer(() => keys.stop());
  }
  await standing.start();
  parts.defer(() => standing.stop());
  parts.use(events);
  await events.start();
  const sweeper = new Sweeper({
    store: storage.records,
    events: storage.events,
    consumers: storage.consumers,
    standing: storage.standing,
    assertions: storage.assertions,
    collections,
    names,
    fill: async ({ child, parent, now }) => {
      const caller = { id: '', kind: 'client', isMachine: true } as const;
      const change = { kind: 'fill', child, parent, revision: createRevision() } as const;
      await writes.submit({ caller, now, proof: null, change }, 0, () => false);
    },
    onBroughtBack: () => registry.forget(),
    hold,
    clock,
    time,
    log,
  });
  sweeper.start();
  parts.defer(() => sweeper.stop());

  const signingKeyIds = () => signingKeys.published().map(({ kid }) => kid);
  const { port } = config;
  const readiness = createReadiness({
    storage,
    keySets,
    findCollectionsFault: () => outdatedFault(declarations, declared),
    signingKeyIds,
    port,
    isStopping: () => isStopping,
    clock,
  });
  readiness.start();
  parts.defer(() => readiness.stop());
  const forConsole = createConsoleState(base, { collections, keySets, signingKeys });
  watch(base, {
    release,
    keySets,
    service,
    events,
    writes,
    callers,
    certificate,
    logOutput,
    sweeper,
    readiness,
  });
  starting.end();
  started = { ready: readiness.answer, forConsole };
  const listener = new Listener(service, clock);
  const isAlone = member === undefined && development === undefined;
  const address = isAlone ? await listener.listen(config.host, config.port, 'PORT') : '';
  if (!isAlone) listener.open();
  parts.defer(async () => {
    isStopping = true;
    events.drain(config.drainSeconds * 1000);
    await new Promise<void>((resolve) => clock.after(config.drainSeconds * 1000, resolve));
    // Slow webhook receivers get no time on top.
    const withinMs = shutdownSeconds * 1000;
    await Promise.all([listener.close(withinMs), events.finishSending()]);
  });

  if (isAlone) log.info({ address, ops_address: opsAddress, issuer: ownIssuer(config) }, 'listening');
  const running = parts.move();
  return {
    address,
    opsAddress,
    log,
    stop: () => running.disposeAsync(),
    reload: () => certificate?.renew(listener, log),
    take: (socket) => listener.take(socket),
    ready: readiness.answer,
    families: metrics.families,
    forConsole,
  };
}

function limitsOf(config: Config, log: Log): Limits {
  const openFiles = readOpenFileLimit();
  const limits = withinOpenFiles(config, openFiles);
  if (limits.maxConnections < config.maxConnections)
    log.warn(
      { open_files: openFiles, max_connections: limits.maxConnections },
      `MAX_CONNECTIONS is ${config.maxConnections}, but this process may only have ${openFiles} open files. It accepts ${limits.maxConnections} connections. Raise the limit (LimitNOFILE, ulimit -n) or lower MAX_CONNECTIONS.`,
    );
  return limits;
}

/** The write queue. Its rules are a module and plain data, because SQLite decides batches on a thread of its own. */
async function openWrites(
  { config, storage, keyring, metrics, clock }: BaseParts,
  collections: readonly Collection[],
  { onWritten, onUnavailable }: { readonly onWritten: () => void; readonly onUnavailable: () => void },
): Promise<WriteQueue> {
  const store = await storage.openBatches({
    module: batchRulesModule,
    data: {
      collections: collections.map(({ checkFields: _, ...plain }) => plain),
      newcomersPerHour: config.newcomersPerHour,
      digestKey: keyring.records,
    } satisfies BatchRulesData,
  });
  const onBatch = (size: number, seconds: number) => {
    metrics.countBatch(size, seconds);
    onWritten();
  };
  return new WriteQueue({ store, clock, onBatch, onUnavailable });
}
