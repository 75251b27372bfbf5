/** How long a piece of work may wait for the connection, and how much of it may wait. */
const longestWaitMs = 5_000;
const mostWaiting = 5_000;

/** Lets so many at a time have the connection. Who waits too long, or finds too many in line, is turned away. */
export class Turns {
  readonly #turnedAway: () => Error;
  readonly #waiting: { go(): void }[] = [];
  #free: number;

  constructor(atOnce: number, turnedAway: () => Error) {
    this.#free = atOnce;
    this.#turnedAway = turnedAway;
  }

  take(): Promise<void> {
    if (this.#free > 0) {
      this.#free -= 1;
      return Promise.resolve();
    }
    if (this.#waiting.length >= mostWaiting) return Promise.reject(this.#turnedAway());
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const timer = setTimeout(() => {
      this.#waiting.splice(this.#waiting.indexOf(turn), 1);
      reject(this.#turnedAway());
    }, longestWaitMs);
    const turn = {
      go() {
        clearTimeout(timer);
        resolve();
      },
    };
    this.#waiting.push(turn);
    return promise;
  }

  give(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#free += 1;
    else next.go();
  }
}
