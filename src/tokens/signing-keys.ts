import { setTimeout as pause } from 'node:timers/promises';
import type { Clock, ConfirmedTime } from '../base/clock.ts';
import { OperatorError } from '../base/errors.ts';
import type { Log } from '../base/log.ts';
import { logFailure } from '../base/plain-log.ts';
import type { AuditLine, SigningKeyRecord, SigningKeyStore } from '../storage/port.ts';
import { createSigningKey, openSigningKey, type SigningAlgorithm, type SigningKey } from './signing-key.ts';

/** A key is published this long before it signs, so that all verifiers have it. */
const prepublishMs = 15 * 60 * 1000;
const rotateAfterMs = 90 * 24 * 60 * 60 * 1000;

export interface KeyRules {
  readonly algorithm: SigningAlgorithm;
  readonly tokenTtlMs: number;
}

interface SigningKeysOptions extends KeyRules {
  readonly store: SigningKeyStore;
  readonly sealingKey: Uint8Array;
  readonly audit: AuditLine;
  readonly clock: Clock;
}

interface ServingOptions extends SigningKeysOptions {
  /** For adding and deleting keys. `clock` decides which key signs and which are published. */
  readonly time: ConfirmedTime;
  readonly log: Log;
}

/** Added to the lifetime of the last token of a key, because of clock skew. */
const marginMs = 60_000;
const lookAgainMs = 3_600_000;
const unconfirmedMs = 60_000;
const shortestPauseMs = 1_000;
/** Minimum time between two reads of the database: tokens with invented key names must not flood it. */
const pauseMs = 100;

/**
 * The keys of this service, from the database. The time alone decides which one signs, so all processes agree: a key is
 * published first, signs later, and stays published until the last token that it signed has expired.
 */
export class SigningKeys {
  readonly #options: ServingOptions;
  #keys: readonly SigningKey[] = [];
  #generation = 0;
  /** When the next key retires. */
  #retirementAt = Number.POSITIVE_INFINITY;
  readonly reload = coalescedRefresh(() => this.#load(), pauseMs);
  #cancelTimer: () => void = () => {};
  #isStopped = false;

  constructor(options: ServingOptions) {
    this.#options = options;
  }

  /** Makes the first key of a new database. */
  async start(): Promise<void> {
    await this.#load();
    if (this.#keys.length === 0) await this.#addNext();
    await this.#keepUp();
    if (this.#keys.length === 0)
      throw new OperatorError('The database has no signing key, and the service could not create one.');
  }

  stop(): void {
    this.#isStopped = true;
    this.#cancelTimer();
  }

  /** The key that signs now: the newest published key whose time has come. */
  current(): SigningKey {
    const now = this.#options.clock.now();
    const published = this.published();
    const current = published.findLast(({ signsFrom }) => signsFrom <= now) ?? published[0];
    if (current === undefined)
      throw new Error('There is no signing key, although the service created one at the start.');
    return current;
  }

  /** The keys that verify tokens now or soon. The newest never retires. */
  published(): readonly SigningKey[] {
    const now = this.#options.clock.now();
    return this.#keys.filter(({ retiresAt }) => retiresAt === null || retiresAt > now);
  }

  /** Changes with the keys, also when a key retires. */
  get generation(): number {
    const now = this.#options.clock.now();
    if (now >= this.#retirementAt) {
      this.#generation += 1;
      this.#retirementAt = nextRetirement(this.#keys, now);
    }
    return this.#generation;
  }

  /** Reads the database for an unknown key: another process may have made it. */
  find(kid: string | undefined, algorithm: string) {
    const key = this.#publishedAs(kid, algorithm);
    const failed = (error: unknown) => logFailure(this.#options.log, error, 'signing keys cannot be read');
    return (
      key ??
      this.reload()
        .catch(failed)
        .then(() => this.#publishedAs(kid, algorithm))
    );
  }

  #publishedAs(kid: string | undefined, algorithm: string) {
    return this.published().find((key) => key.kid === kid && key.algorithm === algorithm)?.publicKey;
  }

  async #load(): Promise<void> {
    const { store, sealingKey } = this.#options;
    const records = await store.list();
    if (timesOf(records) === timesOf(this.#keys)) return;
    this.#keys = records.map((record) => openSigningKey(record, sealingKey));
    this.#generation += 1;
    this.#retirementAt = nextRetirement(this.#keys, this.#options.clock.now());
  }

  /**
   * Adds the next key when it is due and deletes retired ones. If several processes do so at once, the store lets one win.
   */
  async #keepUp(): Promise<void> {
    const { clock, time, log } = this.#options;
    const beganAt = clock.monotonic();
    const now = time.now();
    try {
      if (now !== null && this.#isDue(now)) await this.#change(now);
      await this.reload();
    } catch (error) {
      logFailure(log, error, 'signing keys cannot be rotated');
    }
    if (this.#isStopped) return;
    const pause = now === null ? unconfirmedMs : this.#untilNextMs(now);
    const left = beganAt + pause - clock.monotonic();
    this.#cancelTimer = clock.after(Math.max(left, shortestPauseMs), () => void this.#keepUp());
  }

  async #change(now: number): Promise<void> {
    const { store, audit, log } = this.#options;
    if (this.#isNextDue(now)) await this.#addNext();
    const retired = await store.deleteRetired(now, (kid) => audit('key.retired', kid));
    if (retired.length > 0) log.info({ keys: retired }, 'signing keys have retired');
  }

  async #addNext(): Promise<void> {
    const { algorithm, log } = this.#options;
    if (await addNextKey(this.#options, this.#keys))
      log.info({ algorithm }, 'a new signing key is published');
    await this.reload();
  }

  #isDue(now: number): boolean {
    const hasRetired = this.#keys.some(({ retiresAt }) => retiresAt !== null && retiresAt <= now);
    return hasRetired || this.#isNextDue(now);
  }

  #isNextDue(now: number): boolean {
    const { algorithm } = this.#options;
    const newest = this.#keys.at(-1);
    if (newest === undefined) return true;
    if (this.#keys.length > 1 && newest.signsFrom > now) return false;
    const isOld = now >= newest.signsFrom + rotateAfterMs - prepublishMs;
    return isOld || newest.algorithm !== algorithm;
  }

  #untilNextMs(now: number): number {
    const ends = this.#keys.flatMap(({ retiresAt }) => retiresAt ?? []).map((end) => end - now);
    return Math.min(...ends, lookAgainMs);
  }
}

function nextRetirement(keys: readonly SigningKey[], now: number): number {
  const ends = keys.flatMap(({ retiresAt }) => retiresAt ?? []).filter((end) => end > now);
  return Math.min(...ends, Number.POSITIVE_INFINITY);
}

/** Equal for the same keys with the same times. */
function timesOf(keys: readonly Pick<SigningKey, 'kid' | 'signsFrom' | 'retiresAt'>[]): string {
  return JSON.stringify(keys.map(({ kid, signsFrom, retiresAt }) => [kid, signsFrom, retiresAt]));
}

type KeyTimes = Pick<SigningKeyRecord, 'kid' | 'signsFrom'>;

/** False if another process was first. */
async function addNextKey(
  options: SigningKeysOptions,
  keys: readonly KeyTimes[],
  waitMs = prepublishMs,
): Promise<boolean> {
  const { store, sealingKey, algorithm, tokenTtlMs, clock, audit } = options;
  const newest = keys.at(-1);
  const createdAt = clock.now();
  // The first key signs at once.
  const signsFrom = newest === undefined ? createdAt : createdAt + waitMs;
  const key = await createSigningKey(algorithm, sealingKey, { createdAt, signsFrom });
  const after =
    newest === undefined ? null : { kid: newest.kid, retiresAt: retirementAfter(signsFrom, tokenTtlMs) };
  const details = { algorithm, signs_from: new Date(signsFrom).toISOString() };
  return store.addNext(key, after, audit('key.added', key.kid, details));
}

/** `vestibule keys rotate`: publishes the next key at once; it signs after the usual time or at once. */
export async function rotateSigningKey(
  options: SigningKeysOptions,
  atOnce: boolean,
): Promise<SigningKeyRecord> {
  const { store, clock } = options;
  const keys = await store.list();
  // A single key signs even if a wrong clock has dated it in the future.
  const waiting = keys.length > 1 ? keys.at(-1) : undefined;
  let isChanged: boolean;
  if (waiting !== undefined && waiting.signsFrom > clock.now()) {
    if (!atOnce) {
      throw new OperatorError(
        `The next key "${waiting.kid}" is already published and signs from ${new Date(waiting.signsFrom).toISOString()} on. Wait until then. If the present key has leaked, run: npx vestibule keys rotate --now`,
      );
    }
    isChanged = await signAtOnce(options, keys.at(-2) as KeyTimes, waiting);
  } else {
    isChanged = await addNextKey(options, keys, atOnce ? 0 : prepublishMs);
  }
  if (!isChanged)
    throw new OperatorError(
      'Another process has just changed the keys. "npx vestibule keys list" shows them.',
    );
  return (await store.list()).at(-1) as SigningKeyRecord;
}

/** Verifiers know the waiting key already, so it is the best replacement for a leaked key. */
function signAtOnce(
  { store, clock, tokenTtlMs, audit }: SigningKeysOptions,
  before: KeyTimes,
  { kid, algorithm }: SigningKeyRecord,
): Promise<boolean> {
  const signsFrom = clock.now();
  const details = { algorithm, signs_from: new Date(signsFrom).toISOString() };
  return store.bringForward(
    { kid, signsFrom },
    { kid: before.kid, retiresAt: retirementAfter(signsFrom, tokenTtlMs) },
    audit('key.brought_forward', kid, details),
  );
}

/** When the last token has expired that a key can have signed before its successor signs. */
function retirementAfter(signsFrom: number, tokenTtlMs: number): number {
  return signsFrom + tokenTtlMs + marginMs;
}

/**
 * Reads again on demand: one read at a time, with a pause between two. Unlike with `singleFlight`, a call during a read
 * starts another one, because the read in flight may miss the change that the caller knows about.
 */
function coalescedRefresh(read: () => Promise<void>, pauseMs: number): () => Promise<void> {
  /** The last read and the pause after it. Never rejects. */
  let last: Promise<unknown> = Promise.resolve();
  let next: Promise<void> | null = null;
  return () => {
    next ??= last.then(() => {
      next = null;
      const reading = read();
      last = reading.catch(() => {}).then(() => pause(pauseMs, undefined, { ref: false }));
      return reading;
    });
    return next;
  };
}
