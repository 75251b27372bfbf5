import type { Clock } from '../base/clock.ts';
import { Refusal } from '../base/errors.ts';
import { errorFields, type PlainLog } from '../base/plain-log.ts';
import type { Tracing } from '../base/tracing.ts';
import { ExpiringMap } from './expiring-map.ts';
import type { KeySource } from './issuers.ts';
import { type KeySet, readKeySet } from './key-set.ts';
import { FetchError, type FetchedDocument, type FetchFault } from './provider-fetch.ts';
import type { KeySetMemory, StoredKeySet } from './stored-key-set.ts';

/** A provider may ask for a shorter or longer life of its answer, within these bounds. */
const refreshBoundsSeconds = { shortest: 60, unstated: 600, longest: 86_400 };
const backOffSeconds = { first: 1, longest: 60, longestWithoutKeys: 4 };
/** A provider that asks us to stay away for longer than this is asked again all the same. */
const longestRetryAfterSeconds = 300;
const longestRestoreMs = 2_000;
/** An unknown `kid` is either a rotation or an invention; inventions must not become requests to the provider. */
const unknownKidCoolDownMs = 30_000;
/** How long a key name that was not found is remembered, and how many of them. */
const unknownKidMs = 60_000;
const maxUnknownKids = 1_000;

/** Requests that wait for a fetch hold memory. */
const mostWaiting = 10_000;

interface ProviderKeysOptions {
  /** One try at the key set; `headers` are to be sent with it. */
  readonly ask: (
    stopping: AbortSignal,
    headers?: Readonly<Record<string, string>>,
  ) => Promise<FetchedDocument>;
  readonly algorithms: readonly string[];
  readonly maxStaleSeconds: number;
  readonly memory: KeySetMemory;
  readonly clock: Clock;
  readonly log: PlainLog;
  /** Hears of every try: null when it went well. */
  readonly onFetch: (fault: FetchFault | null) => void;
  /** From 0 up to 1: spreads retries, so that many processes do not come back in step. */
  readonly random?: () => number;
  readonly tracing?: Tracing | null;
}

interface CurrentSet {
  readonly set: KeySet;
  readonly generation: number;
  /** Which of our fetches it is from; 0 for one of an earlier process. */
  readonly fetchNumber: number;
  /** On the monotonic clock; before zero when it was fetched before this process began. */
  readonly fetchedAt: number;
}

/**
 * The provider's keys. Fetched at start and refreshed in the background, so that no request waits for a refresh; one
 * fetch in flight at a time. A failed fetch keeps the last good set, for a bounded time, and backs off. The last good
 * set outlives the process in `memory`.
 */
export class ProviderKeys implements KeySource {
  readonly #options: ProviderKeysOptions;
  /** Key names that were not in a fresh key set: a token that names one causes no fetch. */
  readonly #unknownKids: ExpiringMap<string, true>;
  #current: CurrentSet | null = null;
  #restored: Promise<void> | null = null;
  #inFlight: Promise<void> | null = null;
  #fetchesBegun = 0;
  #waiting = 0;
  #failuresInARow = 0;
  #lastFault: FetchFault | null = null;
  #lastSoughtAt = Number.NEGATIVE_INFINITY;
  #nextFetchAt: number | null = null;
  #cancelTimer: () => void = () => {};
  #isTooOld = false;
  #cancelExpiry: () => void = () => {};
  readonly #stopping = new AbortController();

  constructor(options: ProviderKeysOptions) {
    this.#options = options;
    this.#unknownKids = new ExpiringMap(options.clock, unknownKidMs, maxUnknownKids);
  }

  /** Takes up the stored set and begins the first fetch. Waits for no answer: a provider that is down must not keep us down. */
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
    return this.#usable()?.set.find(kid, algorithm) ?? this.#lookFor(kid, algorithm, looksRight);
  }

  generation(): number | null {
    return this.#usable()?.generation ?? null;
  }

  get fetchesBegun(): number {
    return this.#fetchesBegun;
  }

  /** To be asked after `find`, which has the provider asked as soon as that may be. See `auth/provider-document`. */
  secondsUntilTold(kid: string | undefined, fetchesBegun: number): number | null {
    const isTold = (this.#current?.fetchNumber ?? 0) > fetchesBegun;
    if (kid === undefined || this.#has(kid) || isTold) return null;
    const { nextFetchSeconds } = this.status();
    // A name that was looked for of late has no fetch of its own before that is forgotten.
    const remembered = this.#unknownKids.secondsLeft(kid);
    const seconds = remembered > 0 ? Math.min(remembered, nextFetchSeconds) : nextFetchSeconds;
    return Math.max(Math.ceil(seconds), 1);
  }

  /** What readiness, metrics and the operator are shown. */
  status() {
    const { clock, maxStaleSeconds } = this.#options;
    const age = this.#current === null ? null : (clock.monotonic() - this.#current.fetchedAt) / 1000;
    return {
      usable: this.#usable() !== null,
      keys: this.#current?.set.keys.length ?? 0,
      alarmingKeys: this.#current?.set.alarms.length ?? 0,
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
      await this.#fetched();
    }
    const key = this.#set().find(kid, algorithm);
    if (key !== undefined || kid === undefined || !looksRight()) return key;
    await this.#seek(kid);
    return this.#set().find(kid, algorithm);
  }

  /** The end of the fetch in flight, if there is one. Only so many may wait for it. */
  async #fetched(): Promise<void> {
    if (this.#inFlight === null) return;
    if (this.#waiting >= mostWaiting) throw new Refusal('overloaded', { retryAfterSeconds: 1 });
    this.#waiting += 1;
    try {
      await this.#inFlight;
    } finally {
      this.#waiting -= 1;
    }
  }

  #set(): KeySet {
    const usable = this.#usable();
    if (usable !== null) return usable.set;
    throw new Refusal('keys_unavailable', {
      detail: `last fault: ${this.#lastFault ?? 'none, the set is too old'}`,
      retryAfterSeconds: Math.max(Math.ceil(this.status().nextFetchSeconds), 1),
    });
  }

  #usable(): CurrentSet | null {
    return this.#isTooOld ? null : this.#current;
  }

  /**
   * One more fetch for a `kid` that is not in the set, at most once in a cool-down; a name that comes too early is
   * looked for when the cool-down ends, so that a flood of invented names does not hide a rotation.
   */
  async #seek(kid: string): Promise<void> {
    await this.#fetched();
    if (this.#has(kid) || this.#unknownKids.has(kid) || this.#failuresInARow > 0) return;
    const now = this.#options.clock.monotonic();
    const mayFetchAt = this.#lastSoughtAt + unknownKidCoolDownMs;
    if (now < mayFetchAt) {
      if (this.#nextFetchAt === null || this.#nextFetchAt > mayFetchAt) {
        this.#schedule((mayFetchAt - now) / 1000, () => this.#seekNow());
      }
      return;
    }
    await this.#seekNow();
    if (!this.#has(kid) && this.#failuresInARow === 0) this.#unknownKids.set(kid, true);
  }

  #has(kid: string): boolean {
    return this.#current?.set.keys.some((key) => key.kid === kid) ?? false;
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
    this.#fetchesBegun += 1;
    try {
      const { document, maxAgeSeconds } = await this.#ask();
      const set = readKeySet(document, algorithms);
      if (typeof set === 'string') throw new FetchError('no_usable_keys', set);
      this.#adopt(set, startedAt, this.#fetchesBegun);
      this.#failuresInARow = 0;
      this.#lastFault = null;
      onFetch(null);
      const refreshIn = refreshSeconds(maxAgeSeconds, maxStaleSeconds);
      this.#schedule(refreshIn);
      log.info({ keys: set.keys.length, refresh_in_seconds: refreshIn }, 'provider keys fetched');
      void this.#store({ document, fetchedAt, refreshAt: fetchedAt + refreshIn * 1000 });
    } catch (error) {
      if (this.#stopping.signal.aborted) return;
      if (!(error instanceof FetchError)) log.error(errorFields(error), 'provider keys cannot be read');
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

  /** Beside everything else: nobody waits for the database to use keys that are at hand. */
  async #store(stored: StoredKeySet): Promise<void> {
    try {
      await this.#options.memory.save(stored);
    } catch (error) {
      if (!this.#stopping.signal.aborted)
        this.#options.log.error(errorFields(error), 'provider keys not stored');
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

  #adopt(set: KeySet, fetchedAt: number, fetchNumber: number): void {
    const before = this.#current;
    const changed = before?.set.fingerprint !== set.fingerprint;
    const generation = (before?.generation ?? 0) + (changed ? 1 : 0);
    if (changed) this.#unknownKids.clear();
    if (set.alarms.length > 0 && String(before?.set.alarms) !== String(set.alarms)) {
      this.#options.log.error({ faults: set.alarms }, 'provider publishes keys that must not be used');
    }
    this.#current = { set, generation, fetchNumber, fetchedAt };
    // A clock beside the requests instead of a look at the time on each of them.
    const { clock, maxStaleSeconds } = this.#options;
    const leftMs = fetchedAt + maxStaleSeconds * 1000 - clock.monotonic();
    this.#isTooOld = leftMs <= 0;
    this.#cancelExpiry();
    this.#cancelExpiry = clock.after(Math.max(leftMs, 0), () => {
      this.#isTooOld = true;
    });
  }

  /** Settles in any case: a store that hangs keeps nobody from asking the provider. */
  #restoreInTime(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const cancel = this.#options.clock.after(longestRestoreMs, resolve);
    void this.#restore().then(() => {
      cancel();
      resolve();
    });
    return promise;
  }

  /** The set that an earlier process left, so that a restart during the provider's outage serves at once. */
  async #restore(): Promise<void> {
    const { memory, algorithms, clock, log } = this.#options;
    try {
      const stored = await memory.load();
      // What comes late is older than what was fetched meanwhile.
      if (stored === null || this.#current !== null) return;
      const set = readKeySet(stored.document, algorithms);
      if (typeof set === 'string') return;
      const ageMs = Math.max(clock.now() - stored.fetchedAt, 0);
      this.#adopt(set, clock.monotonic() - ageMs, 0);
      log.info(
        { keys: set.keys.length, age_seconds: Math.round(ageMs / 1000) },
        'provider keys taken from storage',
      );
    } catch (error) {
      log.error(errorFields(error), 'stored provider keys cannot be read');
    }
  }

  #backOff(): number {
    const { first, longest, longestWithoutKeys } = backOffSeconds;
    // While nobody can come in, the provider's return must not go unnoticed for long.
    const most = this.#usable() === null ? longestWithoutKeys : longest;
    const step = Math.min(first * 2 ** (this.#failuresInARow - 1), most);
    return step * (1 + (this.#options.random ?? Math.random)() / 4);
  }

  #schedule(seconds: number, fetch: () => Promise<void> = () => this.#refresh()): void {
    this.#cancelTimer();
    if (this.#stopping.signal.aborted) return;
    this.#nextFetchAt = this.#options.clock.monotonic() + seconds * 1000;
    this.#cancelTimer = this.#options.clock.after(seconds * 1000, () => void fetch());
  }
}

/** As the provider asks, within bounds; and always so early that a failure leaves half of the stale window to try again. */
function refreshSeconds(maxAgeSeconds: number | null, maxStaleSeconds: number): number {
  const { shortest, unstated, longest } = refreshBoundsSeconds;
  return Math.min(Math.max(maxAgeSeconds ?? unstated, shortest), longest, maxStaleSeconds / 2);
}
