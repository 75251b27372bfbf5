/** Lets one of those who wait go on in each turn of the event loop. */
export class Pace {
  readonly #hurried: (() => void)[] = [];
  readonly #patient: (() => void)[] = [];
  #isSet = false;

  /** For who keeps others waiting, and so goes first. */
  hurry(): Promise<void> {
    return this.#join(this.#hurried);
  }

  next(): Promise<void> {
    return this.#join(this.#patient);
  }

  #join(line: (() => void)[]): Promise<void> {
    if (!this.#isSet) setImmediate(this.#letOneGo);
    this.#isSet = true;
    return new Promise((resolve) => line.push(resolve));
  }

  readonly #letOneGo = (): void => {
    const go = this.#hurried.shift() ?? this.#patient.shift();
    go?.();
    this.#isSet = this.#hurried.length + this.#patient.length > 0;
    if (this.#isSet) setImmediate(this.#letOneGo);
  };
}

/**
 * Lets the steps of transactions go on one by one, with a look at who else has asked for something after each. When
 * many write at once their answers from the database arrive together, and a quick question that came meanwhile would
 * wait until all of them are dealt with. Whoever is in a transaction holds locks, and goes before who wants to begin one.
 */
export function paced<Store extends object>(store: Store, pace: Pace): Store {
  const wrapped = Object.entries(store).map(([name, method]) => [
    name,
    async (...parameters: unknown[]) => {
      const result = await method(...parameters);
      await pace.hurry();
      return result;
    },
  ]);
  return Object.fromEntries(wrapped);
}
