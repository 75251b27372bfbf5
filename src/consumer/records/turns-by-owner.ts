/**
 * Lets the writes of one owner come one after the other, before they ask for a connection. The database would make them
 * wait for each other anyway, and each would keep a connection from everybody else meanwhile.
 */
export class TurnsByOwner {
  readonly #last = new Map<string, Promise<unknown>>();

  async take<T>(owner: string, work: () => Promise<T>): Promise<T> {
    const before = this.#last.get(owner);
    // What became of the one before is its own affair.
    const turn = before === undefined ? work() : before.then(work, work);
    this.#last.set(owner, turn);
    try {
      return await turn;
    } finally {
      if (this.#last.get(owner) === turn) this.#last.delete(owner);
    }
  }
}
