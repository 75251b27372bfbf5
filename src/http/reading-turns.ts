import type { Socket } from 'node:net';

interface Held {
  readonly socket: Socket;
  readonly address: string;
  isHeld: boolean;
}

/** How many requests of one address may wait behind others of their connection while its connections are read. */
export const mostWaitingOfAddress = 1_000;

/**
 * Requests that wait behind others of their connection, counted by address, and the connections that are not read
 * meanwhile. Node takes up to 64 KiB of a connection at once, which is hundreds of small requests and milliseconds of
 * parsing: so only one of these connections is read in each turn of the event loop, and their addresses take turns.
 */
export class ReadingTurns<Connection extends Held> {
  readonly #waitingByAddress = new Map<string, number>();
  /** May be read, in this order of addresses, while few of its address wait. */
  readonly #ready = new Map<string, Set<Connection>>();
  #waiting = 0;
  #isDue = false;

  get waiting(): number {
    return this.#waiting;
  }

  isFull(address: string): boolean {
    return (this.#waitingByAddress.get(address) ?? 0) >= mostWaitingOfAddress;
  }

  /** So many more requests wait, or fewer. Says when its connections are to be held from now on. */
  count(address: string, change: number): 'full' | 'room' {
    const before = this.#waitingByAddress.get(address) ?? 0;
    const now = before + change;
    this.#waiting += change;
    if (now === 0) this.#waitingByAddress.delete(address);
    else this.#waitingByAddress.set(address, now);
    if (before < mostWaitingOfAddress) return now < mostWaitingOfAddress ? 'room' : 'full';
    if (now < mostWaitingOfAddress) this.#schedule();
    return 'room';
  }

  /** A connection that is held and has nothing left to answer. */
  add(connection: Connection): void {
    const ofAddress = this.#ready.get(connection.address);
    if (ofAddress === undefined) this.#ready.set(connection.address, new Set([connection]));
    else ofAddress.add(connection);
    this.#schedule();
  }

  forget(connection: Connection): void {
    const ofAddress = this.#ready.get(connection.address);
    ofAddress?.delete(connection);
    if (ofAddress?.size === 0) this.#ready.delete(connection.address);
  }

  #schedule(): void {
    if (this.#isDue) return;
    this.#isDue = true;
    setImmediate(() => {
      this.#isDue = false;
      this.#readNext();
    });
  }

  #readNext(): void {
    for (const [address, ofAddress] of this.#ready) {
      if (this.isFull(address)) continue;
      const [connection] = ofAddress;
      if (connection === undefined) continue;
      this.forget(connection);
      // To the end of the row.
      if (this.#ready.delete(address)) this.#ready.set(address, ofAddress);
      connection.isHeld = false;
      connection.socket.resume();
      this.#schedule();
      return;
    }
  }
}
