import { createServer, type Server, type Socket } from 'node:net';
import type { Clock } from '../base/clock.ts';
import type { Child } from './child.ts';

interface HandOverOptions {
  /** Begins to listen where the processes do. */
  readonly listen: (server: Server) => Promise<unknown>;
  readonly children: { listening(): readonly Child[] };
  readonly processes: number;
  readonly clock: Clock;
}

/** Connections that wait for a process; further ones are closed. */
export const mostHeld = 1_000;
/**
 * For how long all processes have to be there before the supervisor stops to listen. Whoever is connecting at that
 * moment is reset by the system, so it should be rare.
 */
const calmMs = 60_000;

/**
 * While a process is missing the supervisor listens beside those that are left, and gives each connection to one of them: if
 * those end as well, who comes then waits for the next process instead of being refused. Nothing of a connection is read here.
 */
export class HandOver {
  readonly #options: HandOverOptions;
  #server: Server | null = null;
  #held: Socket[] = [];
  #turn = 0;
  #cancelEnd: () => void = () => {};

  constructor(options: HandOverOptions) {
    this.#options = options;
  }

  /** For when a process has ended. */
  begin(): void {
    this.#cancelEnd();
    if (this.#server !== null) return;
    this.#server = createServer({ pauseOnConnect: true }, (socket) => {
      // Whoever hangs up meanwhile is found out by the process that gets it.
      socket.on('error', () => {});
      this.#give(socket);
    });
    // The processes that are left go on without.
    this.#options.listen(this.#server).catch(() => this.end());
  }

  /** For when a process has begun to listen. */
  proceed(): void {
    const { children, processes, clock } = this.#options;
    for (const socket of this.#held.splice(0)) this.#give(socket);
    if (children.listening().length < processes) return;
    this.#cancelEnd();
    this.#cancelEnd = clock.after(calmMs, () => this.end());
  }

  end(): void {
    this.#cancelEnd();
    this.#server?.close();
    this.#server = null;
    for (const socket of this.#held.splice(0)) socket.destroy();
  }

  #give(socket: Socket): void {
    const children = this.#options.children.listening();
    this.#turn += 1;
    const child = children[this.#turn % children.length];
    if (child !== undefined) child.give(socket, () => this.#give(socket));
    else if (this.#server !== null && this.#held.length < mostHeld) this.#held.push(socket);
    else socket.destroy();
  }
}
