import { type Clock, every } from '../base/clock.ts';
import { createProcessName } from '../base/random.ts';
import type { LeaseStore } from '../storage/port.ts';

const name = 'background';
/** Together less than 20 s, within which another process takes over when the holder is killed. */
const leaseMs = 15_000;
const renewEveryMs = 4_000;
/** Without a renewal the process stops the work before another one can take over. */
const keptMs = 12_000;
/** If the database does not answer, the lease expires by itself. */
const releaseWithinMs = 1_000;

/**
 * The lease of the process that sweeps and delivers webhooks. It saves work and is not a lock: for a
 * moment two processes may hold it, and the work done under it must be correct even then.
 */
export class BackgroundLease {
  readonly #options: { readonly store: LeaseStore; readonly clock: Clock };
  readonly #holder = createProcessName();
  /** A time of the monotonic clock. */
  #heldUntil = Number.NEGATIVE_INFINITY;
  #isStopped = false;
  #cancel = () => {};

  constructor(options: { readonly store: LeaseStore; readonly clock: Clock }) {
    this.#options = options;
  }

  start(): void {
    const renew = () => void this.hold().catch(() => {});
    renew();
    this.#cancel = every(this.#options.clock, renewEveryMs, renew);
  }

  /** Takes or renews the lease. True if this process has it. */
  async hold(): Promise<boolean> {
    if (this.#isStopped) return false;
    const { store, clock } = this.#options;
    const began = clock.monotonic();
    const isHeld = await store.take(name, this.#holder, leaseMs);
    this.#heldUntil = isHeld ? began + keptMs : Number.NEGATIVE_INFINITY;
    return isHeld;
  }

  /** The same without a query, from the last renewal. A process that was frozen has lost the lease. */
  isHeld(): boolean {
    return this.#options.clock.monotonic() < this.#heldUntil;
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#cancel();
    if (this.#heldUntil === Number.NEGATIVE_INFINITY) return;
    const { store, clock } = this.#options;
    const late = Promise.withResolvers<void>();
    const cancel = clock.after(releaseWithinMs, late.resolve);
    const released = store.release(name, this.#holder).catch(() => {});
    await Promise.race([released, late.promise]).finally(cancel);
  }
}
