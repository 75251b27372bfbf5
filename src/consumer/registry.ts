import type { Clock } from '../base/clock.ts';
import type { Principal } from '../base/principal.ts';
import type { Consumer, ConsumerStore } from '../storage/port.ts';

/** How many callers are remembered; past that all are forgotten and read again as they come. */
const mostRemembered = 100_000;

/** The callers as the database has them. One that was seen before is answered from memory, whatever token it brings. */
export class Registry {
  readonly #store: ConsumerStore;
  readonly #clock: Clock;
  readonly #known = new Map<string, Consumer>();

  constructor(store: ConsumerStore, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
  }

  /** The caller as it was first seen; first sight registers it. Null for a token that names nobody. */
  register({ id, kind }: Principal): Consumer | null | Promise<Consumer> {
    if (id === null) return null;
    return this.#known.get(id) ?? this.#remember(this.#store.register(id, kind, this.#clock.now()));
  }

  /** Something about callers was changed elsewhere: the database is asked again. */
  forget(): void {
    this.#known.clear();
  }

  async #remember(registered: Promise<Consumer>): Promise<Consumer> {
    const consumer = await registered;
    if (this.#known.size >= mostRemembered) this.#known.clear();
    this.#known.set(consumer.id, consumer);
    return consumer;
  }
}
