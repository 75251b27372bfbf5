/** Lets one of those who wait go on in each turn of the event loop. */
export class Pace {
  readonly #waiting: (() => void)[] = [];

  next(): Promise<void> {
    return new Promise((resolve) => {
      if (this.#waiting.push(resolve) === 1) setImmediate(this.#letOneGo);
    });
  }

  readonly #letOneGo = (): void => {
    this.#waiting.shift()?.();
    if (this.#waiting.length > 0) setImmediate(this.#letOneGo);
  };
}

/**
 * Lets the steps of all transactions go on one by one, with a look at who else has asked for something after each. When
 * many write at once their answers from the database arrive together, and a quick question that came meanwhile would
 * wait until all of them are dealt with.
 */
export function paced<Store extends object>(store: Store, pace: Pace): Store {
  const wrapped = Object.entries(store).map(([name, method]) => [
    name,
    async (...parameters: unknown[]) => {
      const result = await method(...parameters);
      await pace.next();
      return result;
    },
  ]);
  return Object.fromEntries(wrapped);
}
