import type { Socket } from 'node:net';
import { createKeyedDigest } from '../base/keyed-digest.ts';
import type { Log } from '../base/log.ts';
import { createRevision } from '../base/random.ts';
import { activateDeclarations, outdatedFault } from '../collections/check-against.ts';
import type { Collection } from '../collections/collection.ts';
import { ownIssuer } from '../config/rules.ts';
import type { Config, KeyConfig } from '../config/settings.ts';
import type { EventTail } from '../events/tail.ts';
import { shutdownSeconds } from '../http/limits.ts';
import { Listener } from '../http/listener.ts';
import { BackgroundLease } from '../ops/background-lease.ts';
import type { Family } from '../ops/exposition.ts';
import { createReadiness, type KeySetStatus } from '../ops/health.ts';
import { findTracing } from '../ops/tracing.ts';
import { PeopleNames } from '../records/people-names.ts';
import { type BatchRulesData, batchRulesModule } from '../records/rules/batch-rules.ts';
import { Sweeper } from '../records/sweeper.ts';
import { WriteQueue } from '../records/write-queue.ts';
import { SigningKeys } from '../tokens/signing-keys.ts';
import { type Administration, keyRules, openAdministration, webhookEgress } from './administration.ts';
import type { BaseParts } from './base-parts.ts';
import { type Callers, createCallers, startCallers } from './callers.ts';
import { createConsoleState } from './console-state.ts';
import { createEventParts, createTail } from './events.ts';
import { createStatus, openOpsPort } from './ops-port.ts';
import { type Prepared, prepare, type Surroundings } from './prepare.ts';
import { createService } from './service.ts';
import { createSignOut } from './sign-out.ts';
import { watch } from './watch.ts';

export interface App {
  /** Empty if the app listens nowhere itself and gets its connections through `take`. */
  readonly address: string;
  /** Empty if the supervisor answers on the ops port. */
  readonly opsAddress: string;
  readonly log: Log;
  stop(): Promise<void>;
  reload(): void;
  take(socket: Socket): void;
  /** GET /readyz and GET /metrics of this process, for the supervisor. */
  ready(): Promise<{ readonly status: number; readonly body: Record<string, unknown> }>;
  families(): readonly Family[];
  /** The data of this process for the supervisor's console. */
  readonly forConsole: ReturnType<typeof createConsoleState>;
}

/** Builds and starts every part in this order. They stop in reverse order, also when one fails to start. */
export async function startApp(config: Config, surroundings: Surroundings = {}): Promise<App> {
  const { settings = [], member, development } = surroundings;
  const prepared = await prepare(config, surroundings);
  const { clock, log, metrics, progress, certificate, collections } = prepared;
  await using running = new AsyncDisposableStack();
  running.defer(() => progress.end());

  // The ops port answers from here on, because a start that builds an index can take minutes.
  const status = createStatus(config.port, progress);
  member?.onReadable?.(status.ready);
  const opsAddress = member ? '' : await openOpsPort(config, { ...prepared, ...status, settings }, running);

  const { base, administration } = await openDatabase(config, prepared, surroundings, running);
  const lease = startLease(base, running);
  const signingKeys = await startSigningKeys(config, base, running);

  const names = new PeopleNames(createKeyedDigest(base.keyring.records));
  // The callbacks name parts that are made below. They are called once the service runs.
  const tail = createTail(base, collections, () => events.cutStreams());
  const onUnavailable = () => readiness.noteRefusedWrite();
  const { newcomersPerHour } = config;
  const writes = await openWrites(base, { collections, newcomersPerHour, tail, onUnavailable }, running);
  const onChange: Parameters<typeof createCallers>[1]['onChange'] = async (changed) => {
    events.recheck(changed);
    if (changed.has('signing_keys')) await signingKeys.reload();
  };
  const callers = createCallers(base, { ...administration, settings: config, signingKeys, writes, onChange });
  const egress = webhookEgress(config);
  const events = createEventParts(base, callers, { collections, names, tail, lease, egress });
  const service = createService(base, {
    ...prepared,
    settings: config,
    collectionsMayChange: development !== undefined,
    tls: certificate?.tls ?? null,
    signOut: createSignOut(base, callers),
    ...{ names, writes, signingKeys, callers, events },
  });

  await startCallers(callers, running);
  running.use(events);
  await events.start();
  const sweeper = startSweeper(base, { collections, names, writes, callers, lease }, running);
  const keySets = () => callers.providers.map(({ name, keys }) => ({ name, ...keys.status() }));
  const serving = { ...prepared, keySets, service, signingKeys, events, writes, callers, sweeper };
  const readiness = startReadiness(base, { ...serving, ...administration, port: config.port }, running);
  watch(base, { ...serving, readiness });
  progress.end();
  const forConsole = createConsoleState(base, serving);
  status.serve({ ready: readiness.answer, forConsole });

  const listener = new Listener(service, clock);
  const isAlone = member === undefined && development === undefined;
  const address = isAlone ? await listener.listen(config.host, config.port, 'PORT') : '';
  if (!isAlone) listener.open();
  running.defer(async () => {
    readiness.noteStopping();
    events.drain(config.drainSeconds * 1000);
    await new Promise<void>((resolve) => clock.after(config.drainSeconds * 1000, resolve));
    // Slow webhook receivers get no time on top.
    await Promise.all([listener.close(shutdownSeconds * 1000), events.finishSending()]);
  });

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
    families: () => metrics.families(),
    forConsole,
  };
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
  const base: BaseParts = { issuer, storage, keyring, audit, metrics, tracing, clock, time, log };
  return { base, administration };
}

function startLease({ storage, clock }: BaseParts, running: AsyncDisposableStack): BackgroundLease {
  const lease = new BackgroundLease({ store: storage.leases, clock });
  lease.start();
  running.defer(() => lease.stop());
  return lease;
}

async function startSigningKeys(
  config: KeyConfig,
  { storage, keyring, audit, clock, time, log }: BaseParts,
  running: AsyncDisposableStack,
): Promise<SigningKeys> {
  const { signingKeys: sealingKey } = keyring;
  const store = storage.signingKeys;
  const keys = new SigningKeys({ ...keyRules(config), store, sealingKey, audit, clock, time, log });
  await keys.start();
  running.defer(() => keys.stop());
  return keys;
}

interface WriteOptions extends Pick<BatchRulesData, 'newcomersPerHour'> {
  readonly collections: readonly Collection[];
  readonly tail: EventTail;
  readonly onUnavailable: () => void;
}

/** The write queue. Its rules are a module and plain data, because SQLite decides batches on a thread of its own. */
async function openWrites(
  { storage, keyring, metrics, clock }: BaseParts,
  { collections, newcomersPerHour, tail, onUnavailable }: WriteOptions,
  running: AsyncDisposableStack,
): Promise<WriteQueue> {
  const data: BatchRulesData = {
    collections: collections.map(({ checkFields: _, ...plain }) => plain),
    newcomersPerHour,
    digestKey: keyring.records,
  };
  const store = await storage.openBatches({ module: batchRulesModule, data });
  const writes = new WriteQueue({ store, clock, onBatch: metrics.countBatch, tail, onUnavailable });
  running.defer(() => writes.stop());
  return writes;
}

interface SweeperParts {
  readonly collections: readonly Collection[];
  readonly names: PeopleNames;
  readonly writes: WriteQueue;
  readonly callers: Callers;
  readonly lease: BackgroundLease;
}

function startSweeper(
  { storage, clock, time, log }: BaseParts,
  { collections, names, writes, callers, lease }: SweeperParts,
  running: AsyncDisposableStack,
): Sweeper {
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
    onBroughtBack: () => callers.registry.forget(),
    hold: () => lease.hold(),
    clock,
    time,
    log,
  });
  sweeper.start();
  running.defer(() => sweeper.stop());
  return sweeper;
}

interface ReadinessParts extends Pick<Prepared, 'declared'>, Pick<Administration, 'declarations'> {
  readonly keySets: () => readonly KeySetStatus[];
  readonly signingKeys: SigningKeys;
  readonly port: number;
}

function startReadiness(
  { storage, clock }: BaseParts,
  { declared, declarations, keySets, signingKeys, port }: ReadinessParts,
  running: AsyncDisposableStack,
) {
  const readiness = createReadiness({
    storage,
    keySets,
    findCollectionsFault: () => outdatedFault(declarations, declared),
    signingKeyIds: () => signingKeys.published().map(({ kid }) => kid),
    port,
    clock,
  });
  readiness.start();
  running.defer(() => readiness.stop());
  return readiness;
}
