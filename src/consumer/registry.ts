import type { Clock } from '../base/clock.ts';
import type { Principal } from '../base/principal.ts';
import { RecentMap } from '../base/recent-map.ts';
import type { Consumer, ConsumerStore } from '../storage/port.ts';
import type { KeyedDigest } from './records/keyed-digest.ts';
import { formerName } from './records/spent-budgets.ts';

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

/** The callers as the database has them. One that was seen before is answered from memory, whatever token it brings. */
export class Registry {
  readonly #store: ConsumerStore;
  readonly #digest: KeyedDigest;
  readonly #clock: Clock;
  readonly #known = new RecentMap<string, KnownConsumer>(mostRemembered);
  #epoch = 0;

  constructor(store: ConsumerStore, digest: KeyedDigest, clock: Clock) {
    this.#store = store;
    this.#digest = digest;
    this.#clock = clock;
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

  async #enter(id: string, { kind }: Principal): Promise<KnownConsumer> {
    const epoch = this.#epoch;
    const former = formerName(this.#digest, id);
    const consumer = await this.#store.register(id, kind, this.#clock.now(), former);
    const known = new KnownConsumer(consumer, epoch);
    if (epoch === this.#epoch) this.#known.set(id, known);
    return known;
  }
}
