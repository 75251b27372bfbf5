import { Refusal } from '../../base/errors.ts';

const mostWaiting = 1_000;
const done = Promise.resolve();

interface Line {
  last: Promise<unknown>;
  length: number;
}

/**
 * Lets the writes of one owner come one after the other, before they ask for a connection. The database would make them
 * wait for each other anyway, and each would keep a connection from everybody else meanwhile.
 */
export class TurnsByOwner {
  readonly #lines = new Map<string, Line>();

  async take<T>(owner: string, work: () => Promise<T>): Promise<T> {
    const line = this.#lines.get(owner) ?? { last: done, length: 0 };
    if (line.length >= mostWaiting)
      throw new Refusal('overloaded', { detail: 'too many writes of one caller wait', retryAfterSeconds: 1 });
    this.#lines.set(owner, line);
    line.length += 1;
    // What became of the one before is its own affair.
    const turn = line.last.then(work, work);
    line.last = turn;
    try {
      return await turn;
    } finally {
      line.length -= 1;
      if (line.length === 0) {
        this.#lines.delete(owner);
        // The map may keep the line for a while (see waiting.ts), and with it whatever its last turn came to.
        line.last = done;
      }
    }
  }
}
