import type { Caller, UsedProof } from '../base/caller.ts';
import type { Clock } from '../base/clock.ts';
import { RecentMap } from '../base/recent-map.ts';
import type { WriteQueue } from '../records/write-queue.ts';
import type { Consumer, ConsumerStore } from '../storage/port.ts';

const maxRemembered = 100_000;

interface RegistryOptions {
  readonly store: Pick<ConsumerStore, 'find'>;
  readonly writes: Pick<WriteQueue, 'submit'>;
  readonly clock: Clock;
}

/** The callers in the database. A caller that was seen before comes from memory, with any of its tokens. */
export class Registry {
  readonly #options: RegistryOptions;
  readonly #known = new RecentMap<string, Consumer>(maxRemembered);
  /** Changes when another process has changed callers. */
  epoch = 0;

  constructor(options: RegistryOptions) {
    this.#options = options;
  }

  /** The stored caller. The first request registers it, which is a write and uses up the proof. Null without a subject. */
  register(caller: Caller, proof: UsedProof | null): Consumer | null | Promise<Consumer> {
    const { id } = caller;
    return id === null ? null : (this.#known.get(id) ?? this.#enter(id, caller, proof));
  }

  /** Called when another process has changed callers: clears the memory. */
  forget(): void {
    this.epoch += 1;
    this.#known.clear();
  }

  /** Reads first: a caller is registered once and read many times. */
  async #enter(id: string, caller: Caller, proof: UsedProof | null): Promise<Consumer> {
    const epoch = this.epoch;
    const consumer = (await this.#options.store.find(id)) ?? (await this.#register(id, caller, proof));
    // Not cached if the memory was cleared meanwhile: this may be older than the change.
    if (epoch === this.epoch) this.#known.set(id, consumer);
    return consumer;
  }

  async #register(id: string, { kind, credentialId }: Caller, proof: UsedProof | null): Promise<Consumer> {
    const { writes, clock } = this.#options;
    const caller = { id, kind, isMachine: credentialId !== null };
    const operation = { caller, now: clock.now(), proof, change: { kind: 'register' } } as const;
    return (await writes.submit(operation, 0, () => false)).consumer;
  }
}
