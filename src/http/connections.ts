import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { performance } from 'node:perf_hooks';
import { ReadingTurns } from './reading-turns.ts';

/** A connection that has been accepted and, over TLS, has shaken hands. */
interface Connection {
  readonly socket: Socket;
  readonly address: string;
  /** The answer to the request that is being handled, or was last; null before the first. */
  response: ServerResponse | null;
  /** Requests that have come before the one ahead of them was answered, in their order. */
  readonly waiting: Waiting[];
  /** What is to be done when all are answered; null while nothing has come that is no HTTP. */
  lastWord: (() => void) | null;
  /** By performance.now(): the first look that found nothing to do here. Null while there is. */
  quietSince: number | null;
  /** Not read until its turn comes: see http/reading-turns. */
  isHeld: boolean;
  /** Has a listener for its bytes: see `#hold`. */
  hasListener: boolean;
  /** How much of its answers waited to be taken at the last look, and since when (performance.now()) it is that much. */
  unsent: { readonly length: number; readonly since: number };
  /** How often its requests were turned away for want of a good token. */
  turnedAway: number;
}

interface Waiting {
  readonly response: ServerResponse;
  readonly handle: Handle;
  /** By performance.now(). */
  readonly since: number;
}

/** For how long the request has waited behind others of its connection. */
type Handle = (waitedMs: number) => void;

/** How many requests may wait behind others of their connection, in all. Past that the next such connection is closed. */
export const mostPipelined = 10_000;
/** The same of one connection: past the first it is not read until they are answered, past the second it is closed. */
export const mostPipelinedOfConnection = 64;
export const mostPipelinedAtOnce = 4_000;
/**
 * libuv hears of at most 1,024 connections at once, and while it finds that many with something to read it comes to
 * nothing else, 48 times over: no timer, no batch of writes, for seconds. Where more are open, one that is refused before
 * its body has been read is read again in its turn, so many in each turn of the event loop. (One that waits for its answer is
 * read on, or nobody would notice when it hangs up.)
 */
const mostReadFreely = 1_000;
const mostReadInTurn = 500;
/** How many of them are looked at before others have their turn. */
const mostLookedAtInTurn = 250;
/** How often one connection may be turned away for want of a good token before it is closed. */
export const mostTurnedAway = 100;

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
  readonly #turns = new ReadingTurns<Connection>();
  #resting: Connection[] = [];
  #onAllClosed: () => void = () => {};

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
      if (this.#accepted.size === 0) this.#onAllClosed();
    });
  }

  /** Settles once none is open; no more are to be accepted by then. */
  async allClosed(): Promise<void> {
    if (this.#accepted.size === 0) return;
    await new Promise<void>((resolve) => {
      this.#onAllClosed = resolve;
    });
  }

  /** For every socket that requests may come in over. */
  open(socket: Socket): void {
    const address = this.#options.addressOf(socket);
    const connection: Connection = {
      socket,
      address,
      response: null,
      waiting: [],
      lastWord: null,
      quietSince: null,
      isHeld: false,
      hasListener: false,
      unsent: { length: 0, since: 0 },
      turnedAway: 0,
    };
    this.#connections.set(socket, connection);
    if (this.#turns.isFull(address) && !this.#options.isProxy(address)) this.#hold(connection);
    socket.once('close', () => {
      this.#connections.delete(socket);
      this.#turns.forget(connection);
      this.#turns.count(address, -connection.waiting.length);
      connection.waiting.length = 0;
    });
  }

  /**
   * For every request. It is handled at once, or, where others of its connection have not been answered in full, after
   * those and in a turn of its own: a caller who sends hundreds in one packet keeps nobody else waiting.
   */
  begin(socket: Socket, response: ServerResponse, handle: Handle): void {
    const connection = this.#connections.get(socket);
    if (connection === undefined || socket.destroyed) return;
    connection.quietSince = null;
    if (this.#connections.size > mostReadFreely)
      response.req.once('end', () => {
        if (response.writableEnded) this.#rest(connection);
      });
    if (isDone(connection) && connection.waiting.length === 0) {
      connection.response = response;
      handle(0);
      return;
    }
    const { address, waiting } = connection;
    if (this.#turns.waiting >= mostPipelined || waiting.length >= mostPipelinedAtOnce) {
      socket.destroy();
      return;
    }
    waiting.push({ response, handle, since: performance.now() });
    if (waiting.length === mostPipelinedOfConnection) this.#hold(connection);
    if (this.#turns.count(address, 1) === 'full' && !this.#options.isProxy(address)) this.#holdAll(address);
    if (waiting.length === 1) this.#afterAnswer(socket, connection);
  }

  /** For every request that was turned away for want of a good token: whether this connection is to end with it. */
  isTurnedAwayTooOften(socket: Socket): boolean {
    const connection = this.#connections.get(socket);
    if (connection === undefined) return true;
    connection.turnedAway += 1;
    return connection.turnedAway >= mostTurnedAway;
  }

  /** Whether something came in after the last request that is no HTTP: then that request was longer than it said. */
  isBroken(socket: Socket): boolean {
    return this.#connections.get(socket)?.lastWord != null;
  }

  /**
   * For a connection over which something came in that is no HTTP. `answer` says so and closes it: after the answers
   * to what came before, and unless it belongs to a request that has its answer already.
   */
  breakOff(socket: Socket, answer: () => void): void {
    const connection = this.#connections.get(socket);
    const last = connection?.waiting.at(-1)?.response ?? connection?.response ?? null;
    if (connection === undefined || last === null) {
      answer();
      return;
    }
    const close = () => socket.destroySoon();
    if (!last.req.complete) {
      // It broke in the middle of its body, and has no other answer than this one.
      if (connection.waiting.pop() !== undefined) this.#turns.count(connection.address, -1);
      else if (!last.headersSent) {
        answer();
        return;
      }
      connection.lastWord = last.headersSent ? close : answer;
    } else connection.lastWord = last.shouldKeepAlive ? answer : close;
    if (!isDone(connection)) this.#afterAnswer(socket, connection);
    else if (connection.waiting.length === 0) connection.lastWord();
  }

  /** At all of them; some in a turn of the event loop, so that nobody's request waits for thousands to be looked at. */
  look(now: number): void {
    const all = this.#connections.values();
    const lookAtSome = () => {
      let looked = 0;
      for (const connection of all) {
        this.#lookAt(connection, now);
        looked += 1;
        if (looked < mostLookedAtInTurn) continue;
        setImmediate(lookAtSome);
        return;
      }
    };
    lookAtSome();
  }

  #lookAt(connection: Connection, now: number): void {
    const { socket } = connection;
    const isWaiting = socket.writableLength > 0 || (connection.response?.writableLength ?? 0) > 0;
    if (connection.hasListener || connection.isHeld) this.#watchHeld(connection, now);
    else this.#watchForStall(socket, isWaiting);
    if (!isDone(connection)) connection.quietSince = null;
    else connection.quietSince ??= now;
    // Before its first request a connection is Node's to close (see http/limits, headersTimeout).
    const isIdle = connection.response !== null && connection.quietSince !== null;
    if (isIdle && now - (connection.quietSince ?? now) >= this.#options.idleMs) socket.destroy();
  }

  /** What comes when the answer that is being made has left in full: the next request, or the last word. */
  #afterAnswer(socket: Socket, connection: Connection): void {
    connection.response?.once('close', () => setImmediate(() => this.#goOn(socket, connection)));
  }

  #goOn(socket: Socket, connection: Connection): void {
    if (socket.destroyed || socket.writableEnded || !isDone(connection)) return;
    const next = connection.waiting.shift();
    if (next === undefined) {
      connection.lastWord?.();
      return;
    }
    this.#turns.count(connection.address, -1);
    if (connection.isHeld && connection.waiting.length === 0) this.#turns.add(connection);
    connection.quietSince = null;
    connection.response = next.response;
    if (connection.waiting.length > 0 || connection.lastWord !== null) this.#afterAnswer(socket, connection);
    next.handle(performance.now() - next.since);
  }

  #holdAll(address: string): void {
    for (const connection of this.#connections.values()) {
      // The rest of a body is wanted.
      const isReceiving = connection.response?.req.complete === false;
      if (connection.address === address && !isReceiving) this.#hold(connection);
    }
  }

  #rest(connection: Connection): void {
    connection.socket.pause();
    if (this.#resting.push(connection) === 1) setImmediate(this.#readRested);
  }

  readonly #readRested = (): void => {
    for (const { socket, isHeld } of this.#resting.splice(0, mostReadInTurn)) if (!isHeld) socket.resume();
    if (this.#resting.length > 0) setImmediate(this.#readRested);
  };

  #hold(connection: Connection): void {
    if (connection.isHeld) return;
    connection.isHeld = true;
    const { socket } = connection;
    if (!connection.hasListener && !socket.isPaused()) {
      connection.hasListener = true;
      // Node goes on reading whenever it has parsed a request, so where some are being parsed a pause is none. A listener for
      // the bytes comes after the parser; it costs a request a tenth, so only these connections have one. It has to be there
      // before the first pause: Node would not read again after one that came before it.
      socket.on('data', () => {
        if (connection.isHeld) socket.pause();
      });
    }
    socket.pause();
    if (connection.waiting.length === 0) this.#turns.add(connection);
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

  /** With a listener for its bytes a paused connection is still read a little: here an answer has to go, and not a part of one. */
  #watchHeld(connection: Connection, now: number): void {
    const { socket, unsent } = connection;
    const length = socket.writableLength;
    if (length === 0 || length !== unsent.length) connection.unsent = { length, since: now };
    else if (now - unsent.since >= this.#options.stalledMs) socket.destroy();
  }
}

/** Whether all that was asked over a connection so far has been answered, to the last byte. */
function isDone({ response }: Connection): boolean {
  return response === null || response.writableFinished;
}
