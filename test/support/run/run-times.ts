import { cpus } from 'node:os';

/** Where the time of a run goes: the longest files, the start of parts, and workers and cores that idle. */
export class RunTimes {
  readonly #start = performance.now();
  readonly #cores = coreTimes();
  readonly #parts = new Map<string, number>();
  readonly #files = new Map<string, number>();
  #firstFile: number | null = null;
  #idleSince: number[] = [];
  #idle = 0;

  /** A worker asks for its next file; null if there is none left. */
  fileGiven(file: string | null): void {
    this.#firstFile ??= performance.now();
    if (file === null) this.#idleSince.push(performance.now());
  }

  fileEnded(file: string, milliseconds: number): void {
    this.#files.set(file, milliseconds);
  }

  /** All workers have ended. */
  workersEnded(): void {
    for (const since of this.#idleSince) this.#idle += performance.now() - since;
    this.#idleSince = [];
  }

  async partStarts(name: string, starting: Promise<unknown>): Promise<void> {
    const start = performance.now();
    await starting.catch(() => null);
    this.#parts.set(name, performance.now() - start);
  }

  report(): string {
    const now = performance.now();
    const { all, idle } = coreTimes();
    const busy = 1 - (idle - this.#cores.idle) / (all - this.#cores.all);
    const longest = [...this.#files].toSorted(([, one], [, other]) => other - one).slice(0, 10);
    const parts = [...this.#parts].map(([name, milliseconds]) => `${name} ${seconds(milliseconds)}`);
    return [
      'The longest files:',
      ...longest.map(([file, milliseconds]) => `  ${seconds(milliseconds)} ${file}`),
      `The run: ${seconds(now - this.#start)}, of them ${seconds((this.#firstFile ?? now) - this.#start)} before the first file.`,
      `Workers without a file while others ran: ${seconds(this.#idle)}. Cores: ${cpus().length}, busy for ${Math.round(busy * 100)} %.`,
      `Starts of parts, for which files wait: ${parts.join(', ') || 'none'}.`,
    ].join('\n');
  }
}

function seconds(milliseconds: number): string {
  return `${(milliseconds / 1000).toFixed(1)} s`;
}

/** Of all cores together since the machine started, in milliseconds. */
function coreTimes(): { readonly all: number; readonly idle: number } {
  const each = cpus().map(({ times }) => times);
  const all = each.flatMap((times) => Object.values(times)).reduce((sum, one) => sum + one, 0);
  return { all, idle: each.reduce((sum, { idle }) => sum + idle, 0) };
}
