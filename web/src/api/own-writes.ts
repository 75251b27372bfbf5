/** The writes of this page that are not finished. An event can arrive before the answer to its own write. */
export class OwnWrites {
  readonly #underWay = new Set<Promise<unknown>>();

  /** Counts the write as unfinished until its answer was handled. */
  async follow<T>(write: Promise<T>): Promise<T> {
    this.#underWay.add(write);
    try {
      return await write;
    } finally {
      this.#underWay.delete(write);
    }
  }

  /** Waits for all unfinished writes, successful or not. */
  async settled(): Promise<void> {
    await Promise.allSettled(this.#underWay);
  }
}
