import type { Clock } from '../base/clock.ts';
import { Refusal } from '../base/errors.ts';
import { logFailure, type PlainLog } from '../base/plain-log.ts';
import { RecentMap } from '../base/recent-map.ts';
import type { Tracing } from '../base/tracing.ts';
import type { KeySource } from './jws.ts';
import { type KeySet, readKeySet } from './key-set.ts';
import { FetchError, type FetchedDocument, type FetchFault } from './provider-fetch.ts';
import type { KeySetMemory, StoredKeySet } from './stored-key-set.ts';

/** Bounds for the `max-age` that a provider asks for. */
const refreshBoundsSeconds = { shortest: 60, unstated: 600, longest: 86_400 };
const backOffSeconds = { first: 1, longest: 60, longestWithoutKeys: 4 };
/** The longest `Retry-After` of a provider that is honoured. */
const longestRetryAfterSeconds = 300;
/** Timeout for the store: one that hangs must not keep the service from asking the provider. */
const longestRestoreMs = 2_000;
/** Cool-down between two fetches for an unknown `kid`, so that invented ones do not become requests to the provider. */
const unknownKidCoolDownMs = 30_000;
/** How long a `kid` that was not found is remembered, and how many are. */
const unknownKidMs = 60_000;
const maxUnknownKids = 1_000;

interface ProviderKeysOptions {
  /** Fetches the key set, with additional `headers`. */
  readonly ask: (
    stopping: AbortSignal,
    headers?: Readonly<Record<string, string>>,
  ) => Promise<FetchedDocument>;
  readonly algorithms: readonly string[];
  readonly maxStaleSeconds: number;
  readonly memory: KeySetMemory;
  readonly clock: Clock;
  readonly log: PlainLog;
  /** Called after every fetch; null for success. */
  readonly onFetch: (fault: FetchFault | null) => void;
  /** Jitter for retries, from 0 up to 1. */
  readonly random?: () => number;
  readonly tracing?: Tracing | null;
}

/**
 * The provider's keys. Fetched at start and refreshed in the background, so that no request waits for a refresh; one
 * fetch in flight at a time. A failed fetch keeps the last good set, for a bounded time, and backs off. The last good
 * set outlives the process in `memory`.
 */
export class ProviderKeys implements KeySource {
  readonly #options: ProviderKeysOptions;
  /** A plain field, because every request reads it. */
  generation: number | null = null;
  #lastGeneration = 0;
  #set: KeySet | null = null;
  /** On the monotonic clock; negative if the set was fetched before this process began. */
  #fetchedAt = 0;
  /** A `kid` that was looked for causes no further fetch. Any set that was fetched after this time shows whether it exists. */
  readonly #unknownKids = new RecentMap<string, { readonly soughtAt: number; readonly expiresAt: number }>(
    maxUnknownKids,
  );
  #restored: Promise<void> | null = null;
  #inFlight: Promise<void> | null = null;
  #failuresInARow = 0;
  #lastFault: FetchFault | null = null;
  #lastSoughtAt = Number.NEGATIVE_INFINITY;
  #nextFetchAt: number | null = null;
  #cancelTimer: () => void = () => {};
  #cancelExpiry: () => void = () => {};
  readonly #stopping = new AbortController();

  constructor(options: ProviderKeysOptions) {
    this.#options = options;
  }

  /** Restores the stored set and begins the first fetch, without waiting for it: the provider may be down. */
  async start(): Promise<void> {
    this.#restored = this.#restoreInTime();
    await this.#restored;
    void this.#refresh();
  }

  stop(): void {
    this.#stopping.abort();
    this.#cancelTimer();
    this.#cancelExpiry();
  }

  find(kid: string | undefined, algorithm: string, looksRight: () => boolean) {
    return this.#usable()?.find(kid, algorithm) ?? this.#lookFor(kid, algorithm, looksRight);
  }

  /** After an unsuccessful `find`: the seconds until the next search for the key; null if the provider does not have it. */
  secondsUntilRetry(kid: string | undefined): number | null {
    if (kid === undefined || this.#has(kid)) return null;
    if (this.#fetchedAt > (this.#soughtAt(kid) ?? Number.POSITIVE_INFINITY)) return null;
    return this.#secondsUntilFetch();
  }

  /** For readiness, metrics and the operator. */
  status() {
    const { clock, maxStaleSeconds } = this.#options;
    const age = this.#set === null ? null : (clock.monotonic() - this.#fetchedAt) / 1000;
    return {
      usable: this.#usable() !== null,
      keys: this.#set?.keys.length ?? 0,
      alarmingKeys: this.#set?.alarms.length ?? 0,
      ageSeconds: age,
      staleLeftSeconds: age === null ? 0 : Math.max(maxStaleSeconds - age, 0),
      nextFetchSeconds:
        this.#nextFetchAt === null ? 0 : Math.max((this.#nextFetchAt - clock.monotonic()) / 1000, 0),
      lastFault: this.#lastFault,
    };
  }

  async #lookFor(kid: string | undefined, algorithm: string, looksRight: () => boolean) {
    if (this.#usable() === null) {
      await this.#restored;
      await this.#inFlight;
    }
    const key = this.#required().find(kid, algorithm);
    if (key !== undefined || kid === undefined || !looksRight()) return key;
    await this.#seek(kid);
    return this.#required().find(kid, algorithm);
  }

  #usable(): KeySet | null {
    return this.generation === null ? null : this.#set;
  }

  #required(): KeySet {
    const set = this.#usable();
    if (set !== null) return set;
    throw new Refusal('keys_unavailable', {
      detail: `last fault: ${this.#lastFault ?? 'none, the set is too old'}`,
      retryAfterSeconds: this.#secondsUntilFetch(),
    });
  }

  #secondsUntilFetch(): number {
    return Math.max(Math.ceil(this.status().nextFetchSeconds), 1);
  }

  /** Fetches for an unknown `kid` once in a cool-down; within one, at its end, so that invented names do not hide a rotation. */
  async #seek(kid: string): Promise<void> {
    await this.#inFlight;
    if (this.#has(kid) || this.#soughtAt(kid) !== undefined || this.#failuresInARow > 0) return;
    const now = this.#options.clock.monotonic();
    const mayFetchAt = this.#lastSoughtAt + unknownKidCoolDownMs;
    if (now < mayFetchAt) {
      this.#noteUnknown(kid, now);
      if (this.#nextFetchAt === null || this.#nextFetchAt > mayFetchAt) {
        this.#schedule((mayFetchAt - now) / 1000, () => this.#seekNow());
      }
      return;
    }
    await this.#seekNow();
    if (!this.#has(kid) && this.#failuresInARow === 0) this.#noteUnknown(kid, Number.NEGATIVE_INFINITY);
  }

  #soughtAt(kid: string): number | undefined {
    const unknown = this.#unknownKids.get(kid);
    if (unknown !== undefined && this.#options.clock.monotonic() < unknown.expiresAt) return unknown.soughtAt;
  }

  #noteUnknown(kid: string, soughtAt: number): void {
    const expiresAt = this.#options.clock.monotonic() + unknownKidMs;
    this.#unknownKids.set(kid, { soughtAt, expiresAt });
  }

  #has(kid: string): boolean {
    return this.#set?.keys.some((key) => key.kid === kid) ?? false;
  }

  #seekNow(): Promise<void> {
    this.#lastSoughtAt = this.#options.clock.monotonic();
    return this.#refresh();
  }

  #refresh(): Promise<void> {
    this.#cancelTimer();
    this.#inFlight ??= this.#fetch().finally(() => {
      this.#inFlight = null;
    });
    return this.#inFlight;
  }

  async #fetch(): Promise<void> {
    const { algorithms, clock, log, onFetch, maxStaleSeconds } = this.#options;
    const startedAt = clock.monotonic();
    const fetchedAt = clock.now();
    try {
      const { document, maxAgeSeconds } = await this.#ask();
      const set = readKeySet(document, algorithms);
      if (typeof set === 'string') throw new FetchError('no_usable_keys', set);
      this.#adopt(set, startedAt);
      this.#failuresInARow = 0;
      this.#lastFault = null;
      onFetch(null);
      const refreshIn = refreshSeconds(maxAgeSeconds, maxStaleSeconds);
      // The age counts from the beginning of the fetch.
      this.#schedule(Math.max(refreshIn - (clock.monotonic() - startedAt) / 1000, 0));
      log.info({ keys: set.keys.length, refresh_in_seconds: refreshIn }, 'provider keys fetched');
      void this.#store({ document, fetchedAt, refreshAt: fetchedAt + refreshIn * 1000 });
    } catch (error) {
      if (this.#stopping.signal.aborted) return;
      if (!(error instanceof FetchError)) logFailure(log, error, 'provider keys cannot be read');
      this.#fail(error instanceof FetchError ? error : new FetchError('unexpected', 'a bug, see the log'));
    }
  }

  async #ask() {
    const { ask, tracing } = this.#options;
    const span = tracing?.outgoing({ method: 'GET', to: 'provider keys', isForCaller: true });
    try {
      const answer = await ask(this.#stopping.signal, span?.headers);
      span?.end(200, null);
      return answer;
    } catch (error) {
      span?.end(null, error instanceof FetchError ? error.fault : 'unexpected');
      throw error;
    }
  }

  /** Stored in the background: requests use the keys before they are stored. */
  async #store(stored: StoredKeySet): Promise<void> {
    try {
      await this.#options.memory.save(stored);
    } catch (error) {
      if (!this.#stopping.signal.aborted) logFailure(this.#options.log, error, 'provider keys not stored');
    }
  }

  #fail({ fault, message, retryAfterSeconds }: FetchError): void {
    this.#failuresInARow += 1;
    this.#lastFault = fault;
    this.#options.onFetch(fault);
    const delay = Math.max(this.#backOff(), Math.min(retryAfterSeconds ?? 0, longestRetryAfterSeconds));
    this.#options.log.warn(
      { fault, detail: message, retry_in_seconds: Math.round(delay) },
      'provider keys not fetched',
    );
    this.#schedule(delay);
  }

  #adopt(set: KeySet, fetchedAt: number): void {
    const { clock, log, maxStaleSeconds } = this.#options;
    const before = this.#set;
    if (before?.fingerprint !== set.fingerprint) {
      this.#lastGeneration += 1;
      this.#unknownKids.clear();
    }
    if (set.alarms.length > 0 && String(before?.alarms) !== String(set.alarms))
      log.error({ faults: set.alarms }, 'provider publishes keys that must not be used');
    this.#set = set;
    this.#fetchedAt = fetchedAt;
    const leftMs = fetchedAt + maxStaleSeconds * 1000 - clock.monotonic();
    this.generation = leftMs > 0 ? this.#lastGeneration : null;
    this.#cancelExpiry();
    this.#cancelExpiry = clock.after(Math.max(leftMs, 0), () => {
      this.generation = null;
    });
  }

  #restoreInTime(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const cancel = this.#options.clock.after(longestRestoreMs, resolve);
    void this.#restore().then(() => {
      cancel();
      resolve();
    });
    return promise;
  }

  /** Adopts the stored set, so that a restart during the provider's outage can verify tokens. */
  async #restore(): Promise<void> {
    const { memory, algorithms, clock, log } = this.#options;
    try {
      const stored = await memory.load();
      // This answer is late: newer keys were fetched meanwhile.
      if (stored === null || this.#set !== null) return;
      const set = readKeySet(stored.document, algorithms);
      if (typeof set === 'string') return;
      const ageMs = Math.max(clock.now() - stored.fetchedAt, 0);
      this.#adopt(set, clock.monotonic() - ageMs);
      log.info(
        { keys: set.keys.length, age_seconds: Math.round(ageMs / 1000) },
        'provider keys taken from storage',
      );
    } catch (error) {
      logFailure(log, error, 'stored provider keys cannot be read');
    }
  }

  #backOff(): number {
    const { first, longest, longestWithoutKeys } = backOffSeconds;
    // Without keys every token is refused, so the provider's return must be noticed soon.
    const maxSeconds = this.#usable() === null ? longestWithoutKeys : longest;
    const step = Math.min(first * 2 ** (this.#failuresInARow - 1), maxSeconds);
    return step * (1 + (this.#options.random ?? Math.random)() / 4);
  }

  #schedule(seconds: number, fetch: () => Promise<void> = () => this.#refresh()): void {
    this.#cancelTimer();
    if (this.#stopping.signal.aborted) return;
    this.#nextFetchAt = this.#options.clock.monotonic() + seconds * 1000;
    this.#cancelTimer = this.#options.clock.after(seconds * 1000, () => void fetch());
  }
}

/** The provider's `max-age` within bounds; at most half of the stale window, which leaves the other half for retries. */
function refreshSeconds(maxAgeSeconds: number | null, maxStaleSeconds: number): number {
  const { shortest, unstated, longest } = refreshBoundsSeconds;
  return Math.min(Math.max(maxAgeSeconds ?? unstated, shortest), longest, maxStaleSeconds / 2);
}
