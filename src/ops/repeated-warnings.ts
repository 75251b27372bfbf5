import type { Clock } from '../base/clock.ts';
import type { Log } from '../base/log.ts';

const everyMs = 10_000;
/** Subjects of a warning that are counted separately; further ones are counted as one. */
const maxWarnings = 50;

interface RepeatedWarning {
  readonly fields: Readonly<Record<string, unknown>>;
  readonly unit: string;
  readonly message: string;
  /** The count since the last line. */
  count: number;
}

/** Rate-limits warnings that may come thousands of times: one line at once, then one every ten seconds with their number. */
export class RepeatedWarnings {
  readonly #log: Log;
  readonly #clock: Clock;
  readonly #warnings = new Map<string, RepeatedWarning>();

  constructor(log: Log, clock: Clock) {
    this.#log = log;
    this.#clock = clock;
  }

  /** `unit` is the log field with the number. */
  warn(fields: RepeatedWarning['fields'], unit: string, message: string): void {
    const name = `${message} ${Object.values(fields)}`;
    const key = this.#warnings.has(name) || this.#warnings.size < maxWarnings ? name : '';
    const known = this.#warnings.get(key);
    if (known !== undefined) known.count += 1;
    else {
      const warning = { fields, unit, message, count: 1 };
      this.#warnings.set(key, warning);
      this.#write(key, warning);
    }
  }

  #write(key: string, warning: RepeatedWarning): void {
    const { fields, unit, message, count } = warning;
    warning.count = 0;
    this.#log.warn({ ...fields, [unit]: count }, message);
    this.#clock.after(everyMs, () => {
      if (warning.count > 0) this.#write(key, warning);
      else this.#warnings.delete(key);
    });
  }
}
