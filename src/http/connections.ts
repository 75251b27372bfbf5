import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** A connection that has been accepted and, over TLS, has shaken hands. */
interface Connection {
  readonly address: string;
  /** The latest answer that was begun; null before the first. */
  response: ServerResponse | null;
  /** Requests whose answers have not been written yet. */
  unanswered: number;
  /** What is to be done when all but so many are answered; null while nothing has come that is no HTTP. */
  lastWord: { readonly unanswered: number; say(): void } | null;
  /** By performance.now(): the first look that found nothing to do here. Null while there is. */
  quietSince: number | null;
}

interface ConnectionOptions {
  readonly mostInAll: number;
  readonly mostOfAddress: number;
  /** How long a connection may wait for its next request. */
  readonly idleMs: number;
  /** How long a caller may take nothing of an answer. */
  readonly stalledMs: number;
  readonly addressOf: (socket: Socket) => string;
  /** A proxy's connections are those of many callers. */
  readonly isProxy: (address: string) => boolean;
  readonly onRefused: (reason: RefusedConnection) => void;
}

/** Too many are open in all, or from one address. */
export type RefusedConnection = 'all' | 'address';

/**
 * Every open connection of a server: how many there may be, and which have been held for long enough. A look at all
 * of them once a second does it: Node would set and clear two timers for every request, a twelfth of what a known
 * caller's request costs, and takes any byte between two requests for a sign of life.
 */
export class Connections {
  readonly #options: ConnectionOptions;
  /** As the system accepted them. */
  readonly #accepted = new Set<Socket>();
  readonly #countByAddress = new Map<string, number>();
  /** As requests come in over them: over TLS these are other sockets than those accepted. */
  readonly #connections = new Map<Socket, Connection>();

  constructor(options: ConnectionOptions) {
    this.#options = options;
  }

  get size(): number {
    return this.#accepted.size;
  }

  /** For every socket that the system has accepted. Where there is no room it closes one that is idle, or else this one. */
  accept(socket: Socket): void {
    const address = this.#options.addressOf(socket);
    const reason = this.#crowd(address);
    if (reason !== null && !this.#closeIdle(reason === 'all' ? null : address)) {
      socket.destroy();
      this.#options.onRefused(reason);
      return;
    }
    this.#accepted.add(socket);
    this.#countByAddress.set(address, (this.#countByAddress.get(address) ?? 0) + 1);
    socket.once('close', () => {
      this.#accepted.delete(socket);
      const left = (this.#countByAddress.get(address) ?? 1) - 1;
      if (left === 0) this.#countByAddress.delete(address);
      else this.#countByAddress.set(address, left);
    });
  }

  /** For every socket that requests may come in over. */
  open(socket: Socket): void {
    const address = this.#options.addressOf(socket);
    this.#connections.set(socket, {
      address,
      response: null,
      unanswered: 0,
      lastWord: null,
      quietSince: null,
    });
    socket.once('close', () => this.#connections.delete(socket));
  }

  /** For every request. */
  begin(socket: Socket, response: ServerResponse): void {
    const connection = this.#connections.get(socket);
    if (connection === undefined) return;
    connection.response = response;
    connection.unanswered += 1;
    connection.quietSince = null;
  }

  /** Once the answer to a request has been written, as far as it is ours to write. */
  answered(socket: Socket): void {
    const connection = this.#connections.get(socket);
    if (connection === undefined) return;
    connection.unanswered -= 1;
    if (connection.unanswered === connection.lastWord?.unanswered) connection.lastWord.say();
  }

  /**
   * For a connection over which something came in that is no HTTP. `answer` says so and closes it: after the answers
   * to what came before, and unless it belongs to a request that has its answer already.
   */
  breakOff(socket: Socket, answer: () => void): void {
    const connection = this.#connections.get(socket);
    const response = connection?.response ?? null;
    if (connection === undefined || response === null) return void answer();
    // Behind a request that was to be the last one nothing may come: it was longer than it said.
    const isOfLast = !response.req.complete || !response.shouldKeepAlive;
    const isAnswered = isOfLast && response.headersSent;
    // The broken request has no other answer than this.
    const unanswered = isOfLast && !isAnswered ? 1 : 0;
    const say = isAnswered ? () => socket.destroySoon() : answer;
    if (connection.unanswered === unanswered) say();
    else connection.lastWord = { unanswered, say };
  }

  look(now: number): void {
    for (const [socket, connection] of this.#connections) {
      const isWaiting = socket.writableLength > 0 || (connection.response?.writableLength ?? 0) > 0;
      this.#watchForStall(socket, isWaiting);
      if (isWaiting || connection.unanswered > 0) connection.quietSince = null;
      else connection.quietSince ??= now;
      // Before its first request a connection is Node's to close (see http/limits, headersTimeout).
      const isIdle = connection.response !== null && connection.quietSince !== null;
      if (isIdle && now - (connection.quietSince ?? now) >= this.#options.idleMs) socket.destroy();
    }
  }

  destroyAll(): void {
    for (const socket of this.#accepted) socket.destroy();
  }

  #crowd(address: string): RefusedConnection | null {
    const { mostInAll, mostOfAddress, isProxy } = this.#options;
    if (this.#accepted.size >= mostInAll) return 'all';
    const isCrowded = (this.#countByAddress.get(address) ?? 0) >= mostOfAddress;
    return isCrowded && !isProxy(address) ? 'address' : null;
  }

  /** The oldest connection, of that address if one is named, that a look has found quiet. */
  #closeIdle(address: string | null): boolean {
    for (const [socket, connection] of this.#connections) {
      if (connection.quietSince === null || (address !== null && connection.address !== address)) continue;
      socket.destroy();
      // It is gone from here when it has closed, and is not to be chosen again until then.
      this.#connections.delete(socket);
      return true;
    }
    return false;
  }

  /**
   * While an answer waits to be taken Node sees how much of it goes, and hangs up when nothing does. Nothing is read
   * meanwhile: a byte now and then would pass for life.
   */
  #watchForStall(socket: Socket, isWaiting: boolean): void {
    const isTimed = Boolean(socket.timeout);
    if (isWaiting === isTimed) return;
    socket.setTimeout(isWaiting ? this.#options.stalledMs : 0);
    if (isWaiting) socket.pause();
    else socket.resume();
  }
}
