import { createServer, type Socket } from 'node:net';
import type { Child } from './child.ts';

/**
 * Accepts all connections and hands them to the processes in turn (round-robin), without reading from them. A process gets
 * the next one after it has taken the last, so one that hangs delays one connection. While no process is free, connections
 * wait. If a process ends before it has taken a connection, another one gets it; `node:cluster` would leave it open
 * unanswered.
 */
export class Dispatcher {
  readonly server = createServer({ pauseOnConnect: true }, (socket) => {
    // The process that gets the connection notices it, too.
    socket.on('error', () => {});
    this.#waiting.push(socket);
    void this.#next();
  });
  readonly #waiting: Socket[] = [];
  readonly #free: Child[] = [];

  constructor(maxWaiting: number) {
    this.server.maxConnections = maxWaiting;
  }

  add(child: Child): void {
    this.#free.push(child);
    void this.#next();
  }

  close(): void {
    this.server.close();
    for (const socket of this.#waiting.splice(0)) socket.destroy();
  }

  async #next(): Promise<void> {
    if (this.#free.length === 0 || this.#waiting.length === 0) return;
    const child = this.#free.shift() as Child;
    const socket = this.#waiting.shift() as Socket;
    const isTaken = await child.ask('take', { socket });
    if (isTaken ?? child.isServing) {
      socket.destroy();
      this.#free.push(child);
    } else this.#waiting.unshift(socket);
    void this.#next();
  }
}
