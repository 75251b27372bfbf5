import { Buffer } from 'node:buffer';
import { writeSync } from 'node:fs';
import { type DestinationStream, type Logger, pino } from 'pino';
import { dateTime } from './date-time.ts';
import type { LogLevel } from './plain-log.ts';

export type Log = Logger;

/** Structured log lines. No host name and no process id: neither helps, and both identify. `fields` are on every line. */
export function createLog(
  level: LogLevel,
  destination: DestinationStream = { write() {} },
  fields: Readonly<Record<string, number>> | null = null,
): Log {
  return pino({ level, base: fields, timestamp: () => `,"time":"${dateTime(Date.now())}"` }, destination);
}

/** How long a line may wait, and how many waiting characters are written earlier. */
const waitMs = 20;
const enough = 16 * 1024;
/** A pipe holds 64 KiB, which a busy service fills in 10 ms. After other failures (a full disk) there is no hurry. */
const retryMs = { noRoom: 10, otherwise: 1_000 };
/** Characters that may be queued; further lines are dropped and counted. */
export const maxWaiting = 2 * 1024 * 1024;

/** PIPE_BUF: this much is written to a pipe in one piece, also if other processes write to it. */
const maxInOnePiece = 4096;

/** Makes pino set `lastLevel` before it writes a line. */
const asksForLevel: unique symbol = Symbol.for('pino.metadata');
const warn = 40;

/**
 * Writes log lines in batches of 20 ms: one system call for each line would take a third of the throughput. A line of level
 * `warn` or above is written at once, after those before it. A reader that stalls or is gone, or a full disk, does not block
 * or crash the process: lines wait up to a limit, further ones are dropped, and a line says how many.
 *
 * `pino.destination` does not do this: on a full disk it blocks the exit of the process for ever.
 */
export class LogOutput {
  readonly [asksForLevel] = true;
  lastLevel = 0;
  readonly #write: (bytes: Uint8Array) => number;
  readonly #isShared: boolean;
  #lines = '';
  /** The rest of the last batch that the reader has not taken yet. */
  #offered: Uint8Array = Buffer.alloc(0);
  #timer: NodeJS.Timeout | null = null;
  #retryInMs = retryMs.noRoom;
  /** In all. */
  dropped = 0;
  /** Lines dropped since the last line about it. While there are any, all are dropped. */
  #unreported = 0;

  /** `write` returns how many bytes were taken, or throws. With a shared reader, lines are written in one piece. */
  constructor(write: (bytes: Uint8Array) => number, isShared = false) {
    this.#write = write;
    this.#isShared = isShared;
  }

  write(line: string): void {
    if (this.#unreported > 0 || this.#waiting() >= maxWaiting) {
      this.#unreported += 1;
      this.dropped += 1;
      return;
    }
    this.#lines += line;
    const isEnough = this.#lines.length >= enough && this.#offered.length === 0;
    if (isEnough || this.lastLevel >= warn) this.flush();
    else this.#later(waitMs);
  }

  /** Writes everything that is queued; the rest is retried soon. */
  flush(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    this.#offer();
    if (this.#unreported > 0 && this.#waiting() <= maxWaiting / 2) {
      this.#lines += linesDropped(this.#unreported);
      this.#unreported = 0;
      this.#offer();
    }
    if (this.#waiting() > 0) this.#later(this.#retryInMs);
  }

  #waiting(): number {
    return this.#lines.length + this.#offered.length;
  }

  #later(milliseconds: number): void {
    this.#timer ??= setTimeout(() => this.flush(), milliseconds).unref();
  }

  #offer(): void {
    try {
      while (this.#waiting() > 0) {
        if (this.#offered.length === 0) {
          this.#offered = Buffer.from(this.#lines);
          this.#lines = '';
        }
        const piece = this.#isShared ? wholeLines(this.#offered) : this.#offered;
        this.#offered = this.#offered.subarray(this.#write(piece));
      }
    } catch (error) {
      // The log itself has failed, so there is nowhere to report it.
      const hasNoRoom = (error as NodeJS.ErrnoException).code === 'EAGAIN';
      this.#retryInMs = hasNoRoom ? retryMs.noRoom : retryMs.otherwise;
    }
  }
}

let opened: LogOutput | null = null;

/** The log on standard output, one for each process. Reading `process.stdout` makes Node set a pipe non-blocking. */
export function standardOutput(isShared = false): LogOutput {
  if (opened !== null) return opened;
  const { fd } = process.stdout;
  const output = new LogOutput((bytes) => writeSync(fd, bytes), isShared);
  process.once('exit', () => output.flush());
  opened = output;
  return output;
}

/** The lines that fit into one piece; the system may split a longer line. */
function wholeLines(bytes: Uint8Array): Uint8Array {
  if (bytes.length <= maxInOnePiece) return bytes;
  const end = bytes.lastIndexOf(newline, maxInOnePiece - 1);
  return bytes.subarray(0, (end < 0 ? bytes.indexOf(newline) : end) + 1);
}

const newline = 10;

function linesDropped(count: number): string {
  const time = new Date().toISOString();
  return `${JSON.stringify({ level: warn, time, dropped: count, msg: 'log lines were dropped because the reader of the log was too slow' })}\n`;
}
