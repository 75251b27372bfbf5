import type { AppendSignal } from '../engine.ts';

const lookEveryMs = 25;

/**
 * Tells of appended events: of our own at once, of another process's by a look at `pragma data_version`, which moves when
 * another connection has committed, whatever it was. A look takes microseconds, and nobody looks unless somebody watches.
 */
export class SqliteAppendSignal implements AppendSignal {
  readonly #dataVersion: () => Promise<unknown>;
  readonly #watchers = new Set<() => void>();

  constructor(dataVersion: () => Promise<unknown>) {
    this.#dataVersion = dataVersion;
  }

  note(): void {
    for (const watcher of this.#watchers) watcher();
  }

  async watch(onAppended: () => void): Promise<() => Promise<void>> {
    let last: unknown;
    let isOver = false;
    const look = async () => {
      // A look that fails is followed by the next one.
      const version = await this.#dataVersion().catch(() => undefined);
      if (version !== last && !isOver) onAppended();
      last = version;
    };
    const timer = setInterval(() => void look(), lookEveryMs).unref();
    this.#watchers.add(onAppended);
    return async () => {
      isOver = true;
      clearInterval(timer);
      this.#watchers.delete(onAppended);
    };
  }
}
