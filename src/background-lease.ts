import type { Clock } from './base/clock.ts';
import { createProcessName } from './base/random.ts';
import type { LeaseStore } from './storage/port.ts';

interface LeaseOptions {
  readonly store: LeaseStore;
  readonly clock: Clock;
}

const name = 'background';
/** Together less than 20 s: so long after the holder is gone, somebody else has it. */
const leaseMs = 15_000;
const renewEveryMs = 4_000;
/** A database that does not answer gets it back by itself. */
const releaseWithinMs = 1_000;

/**
 * The lease of the process that sweeps and rotates the signing keys, so that not every process does it. The first process
 * that asks holds it and renews it; another one takes it over when the holder is gone. It saves work and is no lock: for a
 * moment two processes may hold it, and the work done under it must be correct even then.
 */
export class BackgroundLease {
  readonly #options: LeaseOptions;
  readonly #holder = createProcessName();
  #isHeld = false;
  #isStopped = false;
  #cancel: () => void = () => {};

  constructor(options: LeaseOptions) {
    this.#options = options;
  }

  start(): void {
    void this.hold().catch(() => {});
    this.#cancel = this.#options.clock.after(renewEveryMs, () => {
      if (!this.#isStopped) this.start();
    });
  }

  /** Takes or renews it; whether this process has it now. */
  async hold(): Promise<boolean> {
    if (this.#isStopped) return false;
    this.#isHeld = await this.#options.store.take(name, this.#holder, leaseMs);
    return this.#isHeld;
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#cancel();
    if (!this.#isHeld) return;
    const { store, clock } = this.#options;
    const late = Promise.withResolvers<void>();
    const cancel = clock.after(releaseWithinMs, late.resolve);
    const released = store.release(name, this.#holder).catch(() => {});
    await Promise.race([released, late.promise]).finally(cancel);
  }
}
