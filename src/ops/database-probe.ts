import type { Clock } from '../base/clock.ts';
import { Refusal } from '../base/errors.ts';
import type { Storage } from '../storage/port.ts';

type Check = 'does not answer' | 'takes no writes';

export interface DatabaseFault {
  readonly check: Check;
  /** For the operator. */
  readonly reason: string;
}

interface DatabaseProbeOptions {
  readonly storage: Pick<Storage, 'ping'> & { readonly documents: Pick<Storage['documents'], 'write'> };
  readonly clock: Clock;
}

/** A probe is answered within a second. */
const answerWithinMs = 800;
/** However often it is asked, so often at most is something written. */
const writeEveryMs = 1_000;
const document = 'readiness';

/**
 * Finds out whether the database would take a write, by a small one: nothing else tells of a disk that is full, of a
 * file that somebody else has locked and of a server that only reads. One probe at a time; nobody waits for it for long.
 */
export class DatabaseProbe {
  readonly #options: DatabaseProbeOptions;
  #inFlight: Promise<DatabaseFault | null> | null = null;
  #step: Check = 'does not answer';
  #writtenAt = Number.NEGATIVE_INFINITY;

  constructor(options: DatabaseProbeOptions) {
    this.#options = options;
  }

  /** Null when it would. */
  async fault(): Promise<DatabaseFault | null> {
    this.#inFlight ??= this.#probe().finally(() => {
      this.#inFlight = null;
    });
    const late = Promise.withResolvers<DatabaseFault>();
    const cancel = this.#options.clock.after(answerWithinMs, () =>
      late.resolve({ check: this.#step, reason: `no answer within ${answerWithinMs / 1000} s` }),
    );
    try {
      return await Promise.race([this.#inFlight, late.promise]);
    } finally {
      cancel();
    }
  }

  async #probe(): Promise<DatabaseFault | null> {
    const { storage, clock } = this.#options;
    try {
      this.#step = 'does not answer';
      await storage.ping();
      this.#step = 'takes no writes';
      if (clock.monotonic() - this.#writtenAt < writeEveryMs) return null;
      await storage.documents.write(document, new Date(clock.now()).toISOString(), new Uint8Array());
      this.#writtenAt = clock.monotonic();
      return null;
    } catch (error) {
      this.#writtenAt = Number.NEGATIVE_INFINITY;
      const reason = error instanceof Refusal ? (error.options.detail ?? error.code) : 'an unexpected error';
      return { check: this.#step, reason };
    }
  }
}
