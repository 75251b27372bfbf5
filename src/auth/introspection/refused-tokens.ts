import type { Clock } from '../../base/clock.ts';
import type { Refusal } from '../../base/errors.ts';
import { RecentMap } from '../../base/recent-map.ts';

const rememberMs = 5_000;
const mostRemembered = 1_000;

interface Refused {
  readonly refusal: Refusal;
  readonly forgetAt: number;
}

/**
 * A short memory of tokens that were asked about and refused, by their digests: who sends one again and again makes no
 * question of each. Bounded, so that inventing tokens only drives out what was sent longest ago.
 */
export class RefusedTokens {
  readonly #clock: Clock;
  readonly #refused = new RecentMap<string, Refused>(mostRemembered);

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Why it was refused a moment ago; undefined when it was not. */
  get(digest: string): Refusal | undefined {
    const refused = this.#refused.get(digest);
    return refused !== undefined && refused.forgetAt > this.#clock.monotonic() ? refused.refusal : undefined;
  }

  add(digest: string, refusal: Refusal): void {
    this.#refused.set(digest, { refusal, forgetAt: this.#clock.monotonic() + rememberMs });
  }
}
