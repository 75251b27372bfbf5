import type { Clock } from '../base/clock.ts';
import type { Principal } from '../base/principal.ts';
import { RecentMap } from '../base/recent-map.ts';
import type { Consumer, ConsumerStore } from '../storage/port.ts';
import type { KeyedDigest } from './records/keyed-digest.ts';
import { formerName } from './records/spent-budgets.ts';
import type { WriteQueue } from './records/write-queue.ts';

const mostRemembered = 100_000;

/** A caller as the database has it. */
export class KnownConsumer {
  readonly consumer: Consumer;
  /** How often the registry had forgotten everything when it learned this. */
  readonly epoch: number;

  constructor(consumer: Consumer, epoch: number) {
    this.consumer = consumer;
    this.epoch = epoch;
  }
}

interface RegistryOptions {
  readonly store: Pick<ConsumerStore, 'find'>;
  readonly writes: Pick<WriteQueue, 'submit'>;
  readonly digest: KeyedDigest;
  readonly clock: Clock;
}

/** The callers as the database has them. One that was seen before is answered from memory, whatever token it brings. */
export class Registry {
  readonly #options: RegistryOptions;
  readonly #known = new RecentMap<string, KnownConsumer>(mostRemembered);
  #epoch = 0;

  constructor(options: RegistryOptions) {
    this.#options = options;
  }

  /** The caller as it was first seen; first sight registers it. Null for a token that names nobody. */
  register(principal: Principal): KnownConsumer | null | Promise<KnownConsumer> {
    const { id, memo } = principal;
    if (memo instanceof KnownConsumer && memo.epoch === this.#epoch) return memo;
    if (id === null) return null;
    const known = this.#known.get(id);
    if (known === undefined) return this.#enter(id, principal);
    principal.memo = known;
    return known;
  }

  /** Something about callers was changed elsewhere: the database is asked again. */
  forget(): void {
    this.#epoch += 1;
    this.#known.clear();
  }

  /** Reads first: a caller is registered once and seen many times. */
  async #enter(id: string, principal: Principal): Promise<KnownConsumer> {
    const epoch = this.#epoch;
    const consumer = (await this.#options.store.find(id)) ?? (await this.#register(id, principal));
    const known = new KnownConsumer(consumer, epoch);
    if (epoch === this.#epoch) this.#known.set(id, known);
    return known;
  }

  async #register(id: string, { kind, credentialId }: Principal): Promise<Consumer> {
    const { writes, digest, clock } = this.#options;
    const caller = { id, kind, isMachine: credentialId !== null, former: formerName(digest, id) };
    const operation = { caller, now: clock.now(), change: { kind: 'register' } } as const;
    return (await writes.submit(operation, 0, () => false)).consumer;
  }
}
