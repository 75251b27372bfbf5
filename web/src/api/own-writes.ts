/** What this page is doing: an event may overtake the answer to the write that it tells of. */
export class OwnWrites {
  readonly #underWay = new Set<Promise<unknown>>();

  /** Until what is made of its answer is done as well. */
  async follow<T>(write: Promise<T>): Promise<T> {
    this.#underWay.add(write);
    try {
      return await write;
    } finally {
      this.#underWay.delete(write);
    }
  }

  /** What was under way is over, whatever came of it. */
  async settled(): Promise<void> {
    await Promise.allSettled(this.#underWay);
  }
}
