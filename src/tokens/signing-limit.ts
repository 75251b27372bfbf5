import type { Clock } from '../base/clock.ts';
import { ConcurrencyLimit } from '../base/concurrency-limit.ts';
import { QueueCapacity } from '../base/queue-capacity.ts';

/**
 * The event loop hears once in a turn which signatures are done, and under a flood a turn is long: with fewer at once the
 * thread pool would wait for it. Whatever else needs the pool waits behind these at most.
 */
const atOnce = 32;
export const mostWaiting = 1_000;

/** Signatures take most of what a token costs: so many at once, and so many in line. */
export function createSigningLimit(clock: Clock): ConcurrencyLimit {
  return new ConcurrencyLimit({
    running: atOnce,
    waiting: new QueueCapacity({ most: mostWaiting, least: atOnce, clock }),
    refusal: 'signing_overloaded',
  });
}
