import type { Clock } from '../base/clock.ts';
import { Refusal } from '../base/errors.ts';
import { singleFlight } from '../base/single-flight.ts';
import type { Storage } from '../storage/port.ts';

type Check = 'does not answer' | 'takes no writes';

interface DatabaseFault {
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
 * Checks by a small write that the database takes writes: a full disk, a locked file or a read-only server shows in no other
 * way. One probe at a time, and each caller waits for a bounded time. Null if the database is well.
 */
export function createDatabaseProbe({ storage, clock }: DatabaseProbeOptions) {
  let step: Check = 'does not answer';
  let writtenAt = Number.NEGATIVE_INFINITY;

  const probe = singleFlight(async (): Promise<DatabaseFault | null> => {
    try {
      step = 'does not answer';
      await storage.ping();
      step = 'takes no writes';
      if (clock.monotonic() - writtenAt < writeEveryMs) return null;
      await storage.documents.write(document, new Date(clock.now()).toISOString(), new Uint8Array());
      writtenAt = clock.monotonic();
      return null;
    } catch (error) {
      writtenAt = Number.NEGATIVE_INFINITY;
      const reason = error instanceof Refusal ? (error.options.detail ?? error.code) : 'an unexpected error';
      return { check: step, reason };
    }
  });

  return async (): Promise<DatabaseFault | null> => {
    const late = Promise.withResolvers<DatabaseFault>();
    const cancel = clock.after(answerWithinMs, () =>
      late.resolve({ check: step, reason: `no answer within ${answerWithinMs / 1000} s` }),
    );
    return Promise.race([probe(), late.promise]).finally(cancel);
  };
}
