import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import {
  Connection,
  ConnectionLimit,
  type ConnectionLimitOptions,
  destroy,
  phaseOf,
} from './connection-limit.ts';

/** How many TLS handshakes may be unfinished at once; past that the oldest gives way. Each holds some 25 kB. */
export const maxHandshakes = 1_000;
/** How many requests or packets behind an unfinished answer are ignored before the connection is destroyed. */
export const maxIgnored = 16;
/** How many requests of one connection may be refused for their token before it is closed. */
export const maxRefusalsPerConnection = 100;
/**
 * libuv reports at most 1,024 readable sockets at once, and while it finds that many it polls again, up to 48 times, before
 * it runs a timer. Where more are open, a connection whose request was refused before its body was read rests: so many are
 * read again in each turn of the event loop.
 */
const readFreely = 1_000;
const readPerTurn = 500;
/** How many connections the sweep looks at before it yields to the event loop. */
const sweepPerTurn = 250;

interface ConnectionOptions extends ConnectionLimitOptions {
  /** How long a connection may take to send the head of its first request, the TLS handshake included. */
  readonly openingMs: number;
  readonly receivingMs: number;
  readonly idleMs: number;
  /** How long a caller may take nothing of an answer. */
  readonly stalledMs: number;
}

/**
 * Every open connection of a server: one request at a time on each, and a deadline for each phase. One sweep a second keeps
 * the deadlines: Node's keep-alive timer is set for every request, and an empty line between two requests switches it off.
 */
export class Connections {
  /** Further requests are refused, and each connection closes after its answer. */
  isClosing = false;
  readonly #options: ConnectionOptions;
  readonly #limit: ConnectionLimit;
  /** Connections by the socket that carries the requests. */
  readonly #open = new Map<Socket, Connection>();
  /** Not open yet, by the two ends of the connection. */
  readonly #handshakes = new Map<string, Connection>();
  #resting: Connection[] = [];
  #onAllClosed: () => void = () => {};

  constructor(options: ConnectionOptions) {
    this.#options = options;
    this.#limit = new ConnectionLimit(options);
  }

  get size(): number {
    return this.#limit.all.size;
  }

  /** For every socket that the system has accepted. Where there is no room it closes another one, or else this one. */
  accept(accepted: Socket): void {
    const connection = new Connection(accepted);
    if (!this.#limit.makeRoom(connection.address)) return void accepted.destroy();
    const [oldestHandshake] = this.#handshakes.values();
    if (oldestHandshake !== undefined && this.#handshakes.size >= maxHandshakes) {
      this.#options.onRefused('all');
      destroy(oldestHandshake);
    }
    const ends = endsOf(accepted);
    this.#handshakes.set(ends, connection);
    this.#limit.add(connection);
    accepted.once('close', () => {
      this.#limit.remove(connection);
      if (this.#handshakes.get(ends) === connection) this.#handshakes.delete(ends);
      if (connection.socket !== null) this.#open.delete(connection.socket);
      if (this.size === 0) this.#onAllClosed();
    });
  }

  /** For every socket that can carry requests: the accepted one, or the TLS socket around it. */
  open(socket: Socket): void {
    const ends = endsOf(socket);
    const connection = this.#handshakes.get(ends);
    this.#handshakes.delete(ends);
    // The other end has gone, or was refused.
    if (connection === undefined) return void socket.destroy();
    connection.socket = socket;
    this.#open.set(socket, connection);
  }

  /** False for a socket whose TLS handshake never finished: it cannot carry an answer. */
  isOpen(socket: Socket): boolean {
    return this.#open.has(socket);
  }

  /** Settles once none is open; no more are to be accepted by then. */
  async allClosed(): Promise<void> {
    if (this.size === 0) return;
    await new Promise<void>((resolve) => {
      this.#onAllClosed = resolve;
    });
  }

  /** For every request. One that arrives before the answer to the one ahead of it is not served: see `#endAfterAnswer`. */
  begin(socket: Socket, response: ServerResponse, handle: () => void): void {
    const connection = this.#open.get(socket);
    if (connection === undefined || socket.destroyed) return;
    const { response: previous } = connection;
    if (previous !== null && !previous.writableFinished) {
      // Over TLS Node reports an answer as sent one turn late, and a quick client is faster.
      const isQuick = !connection.isLast && !connection.hasNext && previous.writableEnded;
      if (!isQuick) return void this.#endAfterAnswer(connection);
      connection.hasNext = true;
      previous.once('finish', () => {
        connection.hasNext = false;
        if (!connection.isLast) this.begin(socket, response, handle);
      });
      return;
    }
    connection.response = response;
    connection.isUsed = true;
    connection.phase = null;
    if (this.#open.size > readFreely)
      response.req.once('end', () => {
        if (response.writableEnded) this.#rest(connection);
      });
    handle();
  }

  /** For every request that was refused for its token: true if the connection is to end with it. */
  isRefusedTooOften(socket: Socket): boolean {
    const connection = this.#open.get(socket);
    if (connection === undefined) return true;
    connection.refusals += 1;
    return connection.refusals >= maxRefusalsPerConnection;
  }

  /** True if something came in behind the request that is no HTTP: then the request was longer than it said. */
  isBroken(socket: Socket): boolean {
    return this.#open.get(socket)?.isBroken === true;
  }

  /** For bytes that are no HTTP. True if they follow a request that is being answered: the connection closes after the answer. */
  breakOff(socket: Socket): boolean {
    const connection = this.#open.get(socket);
    const response = connection?.response ?? null;
    if (connection === undefined || response === null || response.writableFinished) return false;
    if (!response.req.complete) {
      if (!response.headersSent) return false;
      socket.destroySoon();
      return true;
    }
    connection.isBroken = true;
    this.#endAfterAnswer(connection);
    return true;
  }

  /** Checks all connections, some in each turn of the event loop, so that no request waits for the whole sweep. */
  sweep(now: number): void {
    const all = this.#limit.all.values();
    const sweepSome = () => {
      let looked = 0;
      for (const connection of all) {
        this.#check(connection, now);
        looked += 1;
        if (looked === sweepPerTurn) return void setImmediate(sweepSome);
      }
    };
    sweepSome();
  }

  destroyAll(): void {
    for (const connection of this.#limit.all) destroy(connection);
  }

  /** Notes the phase of a connection, and destroys one that is past its deadline. */
  #check(connection: Connection, now: number): void {
    if (connection.socket !== null) this.#watchForStall(connection.socket, connection);
    const phase = phaseOf(connection);
    if (phase !== connection.phase) {
      connection.phase = phase;
      connection.since = now;
    }
    // An idle connection need not keep the headers of its last request in memory.
    if (phase === 'idle') connection.response = null;
    const { openingMs, receivingMs, idleMs } = this.#options;
    // Node answers 408 a little earlier to a head or body that does not come; this ends what that did not.
    const deadlines = {
      opening: openingMs,
      receiving: receivingMs,
      answering: Number.POSITIVE_INFINITY,
      idle: idleMs,
    };
    if (now - connection.since >= deadlines[phase]) destroy(connection);
  }

  /**
   * Reads nothing more, lets the answer finish, and closes. Node's parser has taken the packet apart by then, and resumes
   * reading after each complete request: so the pause comes a turn later, and what still comes is bounded by number.
   */
  #endAfterAnswer(connection: Connection): void {
    const { socket, response } = connection;
    connection.ignored += 1;
    if (connection.ignored > maxIgnored) destroy(connection);
    if (connection.isLast || socket === null || response === null) return;
    connection.isLast = true;
    // Says "connection: close", unless the head is on its way already.
    response.shouldKeepAlive = false;
    response.once('finish', () => socket.destroySoon());
    socket.pause();
    setImmediate(() => socket.pause());
  }

  #rest(connection: Connection): void {
    connection.socket?.pause();
    if (this.#resting.push(connection) === 1) setImmediate(this.#readRested);
  }

  readonly #readRested = (): void => {
    for (const { socket, isLast } of this.#resting.splice(0, readPerTurn)) if (!isLast) socket?.resume();
    if (this.#resting.length > 0) setImmediate(this.#readRested);
  };

  /**
   * While an answer waits to be taken, Node's socket timeout sees how much of it goes and destroys a connection that takes
   * nothing. Nothing is read meanwhile: a byte now and then would pass for progress.
   */
  #watchForStall(socket: Socket, { response, isLast }: Connection): void {
    const isWaiting = socket.writableLength > 0 || (response?.writableLength ?? 0) > 0;
    const isTimed = Boolean(socket.timeout);
    if (isWaiting === isTimed) return;
    socket.setTimeout(isWaiting ? this.#options.stalledMs : 0);
    if (isWaiting) socket.pause();
    else if (!isLast) socket.resume();
  }
}

/** A TLS socket has the same ends as the socket that was accepted; Node has no public way from one to the other. */
function endsOf({ remoteAddress, remotePort, localAddress, localPort }: Socket): string {
  return `${remoteAddress} ${remotePort} ${localAddress} ${localPort}`;
}
