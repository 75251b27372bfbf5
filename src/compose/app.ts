import type { Socket } from 'node:net';
import { type Clock, ConfirmedTime, systemClock } from '../base/clock.ts';
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
import { EventTail } from '../events/tail.ts';
import { type Limits, shutdownSeconds, withinOpenFiles } from '../http/limits.ts';
import { Listener } from '../http/listener.ts';
import { BackgroundLease } from '../ops/background-lease.ts';
import type { Family, Reader } from '../ops/exposition.ts';
import { createReadiness, live, type ReadinessAnswer, startingReadiness } from '../ops/health.ts';
import { createMetrics } from '../ops/metrics.ts';
import { findTracing } from '../ops/tracing.ts';
import { PeopleNames } from '../records/people-names.ts';
import { type BatchRulesData, batchRulesModule } from '../records/rules/batch-rules.ts';
import { Sweeper, type SweeperOptions } from '../records/sweeper.ts';
import { WriteQueue, type WriteQueueOptions } from '../records/write-queue.ts';
import type { Migration } from '../storage/migrations.ts';
import type { WatchedTable } from '../storage/port.ts';
import { SigningKeys } from '../tokens/signing-keys.ts';
import { keyRules, openAdministration } from './administration.ts';
import type { BaseParts } from './base-parts.ts';
import { type Callers, createCallers } from './callers.ts';
import { readCertificate } from './certificate.ts';
import { createConsoleState } from './console-state.ts';
import { readDeclaredCollections } from './declared-collections.ts';
import { createEventParts } from './events.ts';
import { readFrontend } from './frontend.ts';
import { type OpsParts, openOpsPort } from './ops-port.ts';
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
  /** For tests: to read rows that no rule has asked for is an error. */
  readonly areRulesStrict?: boolean;
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

/** Builds and starts every part in this order. They stop in reverse order, also when one fails to start. */
export async function startApp(config: Config, surroundings: Surroundings = {}): Promise<App> {
  const { settings = [], member, development } = surroundings;
  const prepared = await prepare(config, surroundings);
  const { clock, log, metrics, progress, certificate, declared, collections } = prepared;
  await using running = new AsyncDisposableStack();
  const start = async <P extends Record<'start' | 'stop', Step>>(part: P): Promise<P> => {
    await part.start();
    running.defer(() => part.stop());
    return part;
  };
  running.defer(() => progress.end());

  // The ops port answers from here on, because a start that builds an index can take minutes.
  let serving: Pick<App, 'ready' | 'forConsole'> | null = null;
  const status = {
    ready: async () => serving?.ready() ?? startingReadiness(await progress.text(), config.port),
    state: async () => serving?.forConsole.state() ?? null,
    consumer: async (id: string) => serving?.forConsole.consumer(id) ?? null,
  };
  member?.onReadable?.(status.ready);
  const ops = member ? null : await openOps(config, { ...prepared, ...status, settings });
  running.defer(() => ops?.stop());

  const { base, administration } = await openDatabase(config, prepared, surroundings, running);
  const { storage, keyring, declarations } = administration;
  const lease = await start(new BackgroundLease({ store: storage.leases, clock }));
  const signingKeys = await start(createSigningKeys(base));

  const names = new PeopleNames(createKeyedDigest(keyring.records));
  // Parts are made here and started below. A callback may name a part that is made after it.
  const hasTopics = collections.some(({ isShared }) => isShared);
  const onRewound = () => events.cutStreams();
  const tail = new EventTail({ store: storage.events, hasTopics, onRewound, clock, log });
  const onUnavailable = () => readiness.noteRefusedWrite();
  const isStrict = surroundings.areRulesStrict === true;
  const writes = await openWrites(base, collections, { tail, onUnavailable, isStrict });
  running.defer(() => writes.stop());
  const onChange = async (changed: ReadonlySet<WatchedTable>) => {
    events.recheck(changed);
    if (changed.has('signing_keys')) await signingKeys.reload();
  };
  const callers = createCallers(base, { ...administration, signingKeys, writes, onChange });
  const events = createEventParts(base, callers, { names, tail, lease });
  const service = createService(base, {
    ...prepared,
    collectionsMayChange: development !== undefined,
    tls: certificate?.tls ?? null,
    signOut: createSignOut(base, callers),
    ...{ names, writes, signingKeys, callers, events },
  });

  // Keys and standing first: requests and background work need them.
  for (const { keys } of callers.providers) await start(keys);
  await start(callers.standing);
  running.use(events);
  await events.start();
  const sweeper = await start(createSweeper(base, { collections, names, writes, callers, lease }));
  const keySets = () => callers.providers.map(({ name, keys }) => ({ name, ...keys.status() }));
  let isStopping = false;
  const readiness = await start(
    createReadiness({
      storage,
      keySets,
      findCollectionsFault: () => outdatedFault(declarations, declared),
      signingKeyIds: () => signingKeys.published().map(({ kid }) => kid),
      port: config.port,
      isStopping: () => isStopping,
      clock,
    }),
  );
  watch(base, { ...prepared, keySets, service, events, writes, callers, sweeper, readiness });
  progress.end();
  const forConsole = createConsoleState(base, { collections, keySets, signingKeys });
  serving = { ready: readiness.answer, forConsole };

  const listener = new Listener(service, clock);
  const isAlone = member === undefined && development === undefined;
  const address = isAlone ? await listener.listen(config.host, config.port, 'PORT') : '';
  if (!isAlone) listener.open();
  running.defer(async () => {
    isStopping = true;
    events.drain(config.drainSeconds * 1000);
    await new Promise<void>((resolve) => clock.after(config.drainSeconds * 1000, resolve));
    // Slow webhook receivers get no time on top.
    await Promise.all([listener.close(shutdownSeconds * 1000), events.finishSending()]);
  });

  const opsAddress = ops?.address ?? '';
  if (isAlone) log.info({ address, ops_address: opsAddress, issuer: base.issuer }, 'listening');
  const parts = running.move();
  return {
    address,
    opsAddress,
    log,
    stop: () => parts.disposeAsync(),
    reload: () => certificate?.renew(listener, log),
    take: (socket) => listener.take(socket),
    ready: readiness.answer,
    families: metrics.families,
    forConsole,
  };
}

/** What a start reads and makes before it opens a port or the database. */
async function prepare(config: Config, surroundings: Surroundings) {
  const { clock = systemClock, member, development } = surroundings;
  const logOutput = surroundings.logOutput ?? standardOutput(member !== undefined);
  const logText = development?.logText;
  const destination = logText ? { write: (line: string) => logOutput.write(logText(line)) } : logOutput;
  const log = createLog(config.logLevel, destination, member && { process: member.process });
  const certificate = readCertificate(config);
  const declared = development?.collections ?? (await readDeclaredCollections(config));
  const collections = development === undefined ? declared : declared.map(withoutNewcomerLimit);
  return {
    clock,
    log,
    logOutput,
    time: new ConfirmedTime(clock, log),
    metrics: createMetrics(),
    progress: createProgress({ clock, everyMs: 10_000, say: (work) => log.info({ work }, 'starting') }),
    limits: limitsOf(config, log),
    release: readRelease(),
    certificate,
    declared,
    collections,
    frontend: readFrontend(config, collections, development !== undefined),
  };
}

type Prepared = Awaited<ReturnType<typeof prepare>>;

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

type Step = () => void | Promise<void>;

type OpsSources = Omit<OpsParts['forConsole'], 'read'> & Pick<Prepared, 'limits' | 'metrics'>;

/** The ops port of a single process. */
function openOps(config: Config, { limits, metrics, ...sources }: OpsSources) {
  const read = async () => {
    const families = metrics.families('console');
    return { families, processes: [{ process: 1, endings: 0, families }] };
  };
  const ready = async () => {
    const { status, body } = await sources.ready();
    return json(body, { status });
  };
  const forConsole = { ...sources, read };
  return openOpsPort(config, { live, ready, metrics: metrics.expose, limits, forConsole });
}

/** Opens and migrates the database, and makes the declarations of this process the active ones. */
async function openDatabase(
  config: Config,
  { clock, log, time, metrics, progress, release, declared }: Prepared,
  { steps }: Surroundings,
  running: AsyncDisposableStack,
) {
  const { begin } = progress;
  const onNotice = (notice: string) => log.warn(notice);
  const administration = await openAdministration(config, 'serve', clock, { onNotice, steps, begin });
  const { storage, keyring, audit, declarations } = administration;
  running.defer(() => storage.close());
  await activateDeclarations({ declared, declarations, records: storage.records, begin });
  const tracing = await findTracing(release.version, log);
  const issuer = ownIssuer(config);
  const base: BaseParts = { config, issuer, storage, keyring, audit, metrics, tracing, clock, time, log };
  return { base, administration };
}

function createSigningKeys({ config, storage, keyring, audit, clock, time, log }: BaseParts): SigningKeys {
  const { signingKeys: sealingKey } = keyring;
  const store = storage.signingKeys;
  return new SigningKeys({ ...keyRules(config), store, sealingKey, audit, clock, time, log });
}

/** The write queue. Its rules are a module and plain data, because SQLite decides batches on a thread of its own. */
async function openWrites(
  { config, storage, keyring, metrics, clock, log }: BaseParts,
  collections: readonly Collection[],
  { isStrict, ...parts }: Pick<WriteQueueOptions, 'tail' | 'onUnavailable'> & { readonly isStrict: boolean },
): Promise<WriteQueue> {
  const data: BatchRulesData = {
    collections: collections.map(({ checkFields: _, ...plain }) => plain),
    newcomersPerHour: config.newcomersPerHour,
    digestKey: keyring.records,
    isStrict,
  };
  const store = await storage.openBatches({ module: batchRulesModule, data }, (lookups) => {
    for (const lookup of lookups) metrics.countReload(lookup);
    log.info({ lookups }, 'rows were loaded late for a batch of writes');
  });
  return new WriteQueue({ store, clock, onBatch: metrics.countBatch, ...parts });
}

interface SweeperParts extends Pick<SweeperOptions, 'collections' | 'names'> {
  readonly writes: WriteQueue;
  readonly callers: Callers;
  readonly lease: BackgroundLease;
}

function createSweeper(base: BaseParts, { collections, names, writes, callers, lease }: SweeperParts) {
  const { storage, clock, time, log } = base;
  return new Sweeper({
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
    onBroughtBack: () => callers.registry.forget(),
    hold: () => lease.hold(),
    clock,
    time,
    log,
  });
}
