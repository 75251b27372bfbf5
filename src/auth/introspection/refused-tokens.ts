import type { Clock } from '../../base/clock.ts';
import type { Refusal } from '../../base/errors.ts';

const rememberMs = 5_000;
const mostRemembered = 1_000;

interface Refused {
  readonly refusal: Refusal;
  readonly forgetAt: number;
}

/**
 * A short memory of tokens that were asked about and refused, by their digests: who sends one again and again makes no
 * question of each. Bounded, the oldest goes first, so that inventing tokens only fills it.
 */
export class RefusedTokens {
  readonly #clock: Clock;
  readonly #refused = new Map<string, Refused>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Why it was refused a moment ago; undefined when it was not. */
  get(digest: string): Refusal | undefined {
    const refused = this.#refused.get(digest);
    return refused !== undefined && refused.forgetAt > this.#clock.monotonic() ? refused.refusal : undefined;
  }

  add(digest: string, refusal: Refusal): void {
    this.#refused.delete(digest);
    this.#refused.set(digest, { refusal, forgetAt: this.#clock.monotonic() + rememberMs });
    if (this.#refused.size <= mostRemembered) return;
    const [oldest] = this.#refused.keys();
    if (oldest !== undefined) this.#refused.delete(oldest);
  }
}
