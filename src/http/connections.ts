import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { performance } from 'node:perf_hooks';

/** One accepted connection. */
interface Connection {
  /** As the system accepted it. */
  readonly accepted: Socket;
  readonly address: string;
  /** Carries the requests: `accepted` itself, or the TLS socket once the handshake is done. Null during the handshake. */
  socket: Socket | null;
  /** The response to the latest request; null before the first one, and once the sweep has found it finished. */
  response: ServerResponse | null;
  /** It has had a request. */
  isUsed: boolean;
  /** A request that arrived after the whole answer was written, but before Node reported it as sent. */
  hasNext: boolean;
  /** Closes after the answer that is being made: more bytes came in behind its request. */
  isLast: boolean;
  /** What came in behind an unfinished answer: requests, or packets that are no HTTP. */
  ignored: number;
  /** Some of that was no HTTP. */
  isBroken: boolean;
  /** How often its requests were refused for their token. */
  refusals: number;
  /** The phase that the last sweep found, of which response, and when it was first found (performance.now()). */
  phase: Phase;
  phaseResponse: ServerResponse | null;
  since: number;
}

/** What a connection waits for: a first request, the rest of a body, the answer, or the next request. */
type Phase = 'opening' | 'receiving' | 'answering' | 'idle';

/** How many TLS handshakes may be unfinished at once; past that the oldest gives way. Each holds some 25 kB. */
export const maxHandshakes = 1_000;
/** How many requests or packets behind an unfinished answer are ignored before the connection is destroyed. */
export const maxIgnored = 16;
/** How many requests of one connection may be refused for their token before it is closed. */
export const maxRefusalsPerConnection = 100;
/** A request should have arrived in full by then; past that its connection is the first to be closed when there is no room. */
const patienceMs = 5_000;
/** How long to wait with the next scan for connections that can be closed when the last one has found few. */
const rescanMs = 100;
/**
 * libuv reports at most 1,024 readable connections at once, and while it finds that many it polls again, up to 48 times,
 * before it runs a timer. Where more are open, a connection whose request was refused before its body was read is read
 * again in its turn, so many in each turn of the event loop.
 */
const readFreely = 1_000;
const readPerTurn = 500;
/** How many connections the sweep looks at before it yields to the event loop. */
const sweepPerTurn = 250;

interface ConnectionOptions {
  readonly maxConnections: number;
  readonly maxPerAddress: number;
  /** How long a connection may take to send the head of its first request, the TLS handshake included. */
  readonly openingMs: number;
  /** How long a request may take to arrive in full. */
  readonly receivingMs: number;
  /** How long a connection may wait for its next request. */
  readonly idleMs: number;
  /** How long a caller may take nothing of an answer. */
  readonly stalledMs: number;
  readonly addressOf: (socket: Socket) => string;
  /** A trusted proxy carries the connections of many callers. */
  readonly isProxy: (address: string) => boolean;
  readonly onRefused: (reason: RefusedConnection) => void;
}

/** Too many connections are open in all, or from one address. */
export type RefusedConnection = 'all' | 'address';

/**
 * Every open connection of a server. Bounds how many there are, serves one request at a time on each, and destroys what is
 * past the deadline of its phase. One sweep a second over all connections keeps the deadlines: Node's own keep-alive timer
 * would be set and cleared for every request, and an empty line between two requests switches it off.
 */
export class Connections {
  readonly #options: ConnectionOptions;
  /** In the order in which they were accepted. */
  readonly #all = new Map<Socket, Connection>();
  readonly #countByAddress = new Map<string, number>();
  /** By the socket that carries the requests. */
  readonly #open = new Map<Socket, Connection>();
  /** Handshakes that are not done, by the two ends of the connection. */
  readonly #handshakes = new Map<string, Connection>();
  #evictable: Connection[] = [];
  #scannedAt = Number.NEGATIVE_INFINITY;
  #resting: Connection[] = [];
  #onAllClosed: () => void = () => {};

  constructor(options: ConnectionOptions) {
    this.#options = options;
  }

  get size(): number {
    return this.#all.size;
  }

  /** For every socket that the system has accepted. Where there is no room it closes another one, or else this one. */
  accept(accepted: Socket): void {
    const address = this.#options.addressOf(accepted);
    const reason = this.#fullness(address);
    if (reason !== null && !this.#evict(reason === 'all' ? null : address)) {
      accepted.destroy();
      this.#options.onRefused(reason);
      return;
    }
    const [oldestHandshake] = this.#handshakes.values();
    if (oldestHandshake !== undefined && this.#handshakes.size >= maxHandshakes) {
      this.#options.onRefused('all');
      destroy(oldestHandshake);
    }
    const connection: Connection = {
      accepted,
      address,
      socket: null,
      response: null,
      isUsed: false,
      hasNext: false,
      isLast: false,
      ignored: 0,
      isBroken: false,
      refusals: 0,
      phase: 'opening',
      phaseResponse: null,
      since: performance.now(),
    };
    const ends = endsOf(accepted);
    this.#all.set(accepted, connection);
    this.#handshakes.set(ends, connection);
    this.#countByAddress.set(address, (this.#countByAddress.get(address) ?? 0) + 1);
    accepted.once('close', () => {
      this.#all.delete(accepted);
      if (this.#handshakes.get(ends) === connection) this.#handshakes.delete(ends);
      if (connection.socket !== null) this.#open.delete(connection.socket);
      const left = (this.#countByAddress.get(address) ?? 1) - 1;
      if (left === 0) this.#countByAddress.delete(address);
      else this.#countByAddress.set(address, left);
      if (this.#all.size === 0) this.#onAllClosed();
    });
  }

  /** For every socket that can carry requests: the accepted one, or the TLS socket around it. */
  open(socket: Socket): void {
    const ends = endsOf(socket);
    const connection = this.#all.get(socket) ?? this.#handshakes.get(ends);
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
    if (this.#all.size === 0) return;
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
      if (connection.isLast || connection.hasNext || !previous.writableEnded) {
        this.#endAfterAnswer(connection);
        return;
      }
      connection.hasNext = true;
      previous.once('finish', () => {
        connection.hasNext = false;
        if (!connection.isLast) this.begin(socket, response, handle);
      });
      return;
    }
    connection.response = response;
    connection.isUsed = true;
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

  /**
   * For a connection over which something came in that is no HTTP. True if it belongs behind a request that is being
   * answered, and the connection closes after that answer. False if there is no answer to wait for.
   */
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

  /** At all of them; some in a turn of the event loop, so that no request waits for the whole sweep. */
  sweep(now: number): void {
    const all = this.#all.values();
    const sweepSome = () => {
      let looked = 0;
      for (const connection of all) {
        this.#check(connection, now);
        looked += 1;
        if (looked < sweepPerTurn) continue;
        setImmediate(sweepSome);
        return;
      }
    };
    sweepSome();
  }

  destroyAll(): void {
    for (const connection of this.#all.values()) destroy(connection);
  }

  /** Notes the phase of a connection, and destroys one that is past its deadline. */
  #check(connection: Connection, now: number): void {
    const { socket, response } = connection;
    if (socket !== null) this.#watchForStall(socket, connection);
    const phase = phaseOf(connection);
    if (phase !== connection.phase || response !== connection.phaseResponse) {
      connection.phase = phase;
      connection.phaseResponse = response;
      connection.since = now;
    }
    // An idle connection need not keep the headers of its last request in memory.
    if (phase === 'idle') {
      connection.response = null;
      connection.phaseResponse = null;
    }
    if (now - connection.since >= this.#deadlineMs(phase)) destroy(connection);
  }

  /** Node answers 408 a little earlier to a head or body that does not come; this ends what that did not. */
  #deadlineMs(phase: Phase): number {
    const { openingMs, receivingMs, idleMs } = this.#options;
    if (phase === 'opening') return openingMs;
    if (phase === 'receiving') return receivingMs;
    return phase === 'idle' ? idleMs : Number.POSITIVE_INFINITY;
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

  #fullness(address: string): RefusedConnection | null {
    const { maxConnections, maxPerAddress, isProxy } = this.#options;
    const isFull = (this.#countByAddress.get(address) ?? 0) >= maxPerAddress;
    // First, because an address that has its share is to take no place from others.
    if (isFull && !isProxy(address)) return 'address';
    return this.#all.size >= maxConnections ? 'all' : null;
  }

  /**
   * Closes a connection to make room, of that address if one is named: the oldest whose request does not arrive, else the
   * oldest idle one, else the oldest whose request has not arrived yet. False if all are being answered.
   */
  #evict(address: string | null): boolean {
    const now = performance.now();
    const take = () => {
      const index = this.#evictable.findIndex(
        (one) => (address === null || one.address === address) && isEvictable(one),
      );
      return index === -1 ? undefined : this.#evictable.splice(index, 1)[0];
    };
    let victim = take();
    if (victim === undefined && now - this.#scannedAt >= rescanMs) {
      this.#evictable = this.#scan(now);
      // A scan that finds few is not worth repeating for each connection that comes.
      this.#scannedAt = this.#evictable.length * 10 < this.#all.size ? now : Number.NEGATIVE_INFINITY;
      victim = take();
    }
    if (victim === undefined) return false;
    if (phaseOf(victim) !== 'idle') this.#options.onRefused(address === null ? 'all' : 'address');
    // Its place is free at once, not when its close has been reported.
    this.#all.delete(victim.accepted);
    destroy(victim);
    return true;
  }

  #scan(now: number): Connection[] {
    const overdue: Connection[] = [];
    const idle: Connection[] = [];
    const arriving: Connection[] = [];
    for (const connection of this.#all.values()) {
      const phase = phaseOf(connection);
      if (phase === 'answering') continue;
      if (phase === 'idle') idle.push(connection);
      else if (now - connection.since >= patienceMs) overdue.push(connection);
      else arriving.push(connection);
    }
    return [...overdue, ...idle, ...arriving];
  }

  /**
   * While an answer waits to be taken Node sees how much of it goes, and destroys the connection when nothing does. Nothing
   * is read meanwhile: a byte now and then would pass for progress.
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

function phaseOf({ response, isUsed }: Connection): Phase {
  if (response === null) return isUsed ? 'idle' : 'opening';
  if (!response.req.complete) return 'receiving';
  return response.writableFinished ? 'idle' : 'answering';
}

function isEvictable(connection: Connection): boolean {
  return !connection.accepted.destroyed && phaseOf(connection) !== 'answering';
}

function destroy({ accepted, socket }: Connection): void {
  socket?.destroy();
  accepted.destroy();
}

/** A TLS socket has the same ends as the socket that was accepted; Node has no public way from one to the other. */
function endsOf({ remoteAddress, remotePort, localAddress, localPort }: Socket): string {
  return `${remoteAddress} ${remotePort} ${localAddress} ${localPort}`;
}
