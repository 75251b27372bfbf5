import type { Clock } from '../base/clock.ts';
import { describe, type Refusal } from '../base/errors.ts';
import type { Log } from '../base/log.ts';

const everyMs = 10_000;
/** Reasons that are told apart at the same time; further ones are one. */
const mostReasons = 50;

interface Outage {
  readonly code: string;
  readonly detail: string | undefined;
  leftOut: number;
}

/**
 * Why requests cannot be served (503), in the operator's log: once when it begins, and every ten seconds with how many
 * more there were while it goes on. Not once for every request, of which there may be thousands.
 */
export class OutageLog {
  readonly #log: Log;
  readonly #clock: Clock;
  readonly #outages = new Map<string, Outage>();

  constructor(log: Log, clock: Clock) {
    this.#log = log;
    this.#clock = clock;
  }

  note({ code, options }: Refusal): void {
    if (describe(code).status !== 503) return;
    const name = `${code} ${options.detail ?? ''}`;
    const key = this.#outages.has(name) || this.#outages.size < mostReasons ? name : '';
    const known = this.#outages.get(key);
    if (known !== undefined) {
      known.leftOut += 1;
      return;
    }
    const outage: Outage = { code, detail: options.detail, leftOut: 0 };
    this.#outages.set(key, outage);
    this.#log.warn({ code, detail: outage.detail, requests: 1 }, 'requests are refused');
    this.#watch(key, outage);
  }

  #watch(key: string, outage: Outage): void {
    this.#clock.after(everyMs, () => {
      const { code, detail, leftOut: requests } = outage;
      if (requests === 0) {
        this.#outages.delete(key);
        return;
      }
      outage.leftOut = 0;
      this.#log.warn({ code, detail, requests }, 'requests are refused');
      this.#watch(key, outage);
    });
  }
}
