import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

interface Connection {
  /** The latest answer; null once it was seen to be sent. */
  answering: ServerResponse | null;
  bytesRead: number;
  /** On the platform's monotonic clock, in milliseconds. */
  quietSince: number;
}

interface Patience {
  /** How long a connection may wait for its next request. */
  readonly idleMs: number;
  /** How long a caller may take nothing of an answer. */
  readonly stalledMs: number;
}

/**
 * Ends connections whose callers are gone without a word. A look at all of them now and then: the platform's own way
 * sets and clears two timers for every request, which is a twelfth of all that a known caller's request costs.
 */
export class ConnectionWatch {
  readonly #patience: Patience;
  readonly #connections = new Map<Socket, Connection>();

  constructor(patience: Patience) {
    this.#patience = patience;
  }

  /** To be told of every request, since a connection is not idle while somebody works for it. */
  note(socket: Socket, response: ServerResponse): void {
    const known = this.#connections.get(socket);
    if (known !== undefined) {
      known.answering = response;
      return;
    }
    // Those that have not asked anything yet are the platform's (see http/limits, headersTimeout).
    this.#connections.set(socket, { answering: response, bytesRead: 0, quietSince: 0 });
    socket.once('close', () => this.#connections.delete(socket));
  }

  look(now: number): void {
    for (const [socket, connection] of this.#connections) {
      this.#lookForStall(socket, connection);
      this.#lookForIdleness(socket, connection, now);
    }
  }

  /** Only where an answer waits to be taken: the platform sees how much of it goes, and hangs up when nothing does. */
  #lookForStall(socket: Socket, { answering }: Connection): void {
    const isWaiting = socket.writableLength > 0 || (answering !== null && answering.writableLength > 0);
    const isTimed = Boolean(socket.timeout);
    if (isWaiting !== isTimed) socket.setTimeout(isWaiting ? this.#patience.stalledMs : 0);
  }

  /** As far as former looks can tell; never too early. */
  #lookForIdleness(socket: Socket, connection: Connection, now: number): void {
    const wasAnswering = connection.answering !== null;
    if (connection.answering?.writableFinished) connection.answering = null;
    if (wasAnswering || connection.bytesRead !== socket.bytesRead) {
      connection.bytesRead = socket.bytesRead;
      connection.quietSince = now;
    } else if (now - connection.quietSince >= this.#patience.idleMs) {
      socket.destroy();
    }
  }
}
