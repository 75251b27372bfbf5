import type { ServerResponse } from 'node:http';
import type { BlockList, Socket } from 'node:net';
import { performance } from 'node:perf_hooks';
import { isTrustedProxy, peerAddress } from './request-context.ts';

export class Connection {
  /** As the system accepted it. */
  readonly accepted: Socket;
  readonly address: string;
  /** Carries the requests: `accepted` itself, or the TLS socket. Null during the TLS handshake. */
  socket: Socket | null = null;
  /** The response to the latest request; null before the first one, and once the sweep has found it finished. */
  response: ServerResponse | null = null;
  isUsed = false;
  /** A request arrived after the whole answer was written, but before Node reported it as sent. */
  hasNext = false;
  /** Closes after the current answer, because more bytes arrived before it was finished. */
  isLast = false;
  /** Number of requests, or of chunks that are not HTTP, received before the current answer was finished. */
  ignored = 0;
  /** Some of the ignored data was not HTTP. */
  isBroken = false;
  refusals = 0;
  /** What the last sweep found, and since when (performance.now()); null if a request has come since. */
  phase: Phase | null = 'opening';
  since = performance.now();

  constructor(accepted: Socket) {
    this.accepted = accepted;
    this.address = peerAddress(accepted);
  }
}

/** What a connection waits for: a first request, the rest of a body, the answer, or the next request. */
type Phase = 'opening' | 'receiving' | 'answering' | 'idle';

/** There are too many connections in all, or from one address. */
export type RefusedConnection = 'all' | 'address';

export interface ConnectionLimitOptions {
  readonly maxConnections: number;
  readonly maxPerAddress: number;
  /** They carry the connections of many callers, so `maxPerAddress` is not for them. */
  readonly trustedProxies: BlockList;
  readonly onRefused: (reason: RefusedConnection) => void;
}

/** A request that has not arrived in full by then makes its connection the first one to evict. */
const patienceMs = 5_000;
/** Time between two scans for evictable connections when the last one has found few. */
const rescanMs = 100;

/** Bounds the open connections, in all and by address. When there are too many, one that is not being answered is closed. */
export class ConnectionLimit {
  /** In the order in which they were accepted. */
  readonly all = new Set<Connection>();
  readonly #options: ConnectionLimitOptions;
  readonly #countByAddress = new Map<string, number>();
  #evictable: Connection[] = [];
  #scannedAt = Number.NEGATIVE_INFINITY;

  constructor(options: ConnectionLimitOptions) {
    this.#options = options;
  }

  /** Makes room for a connection from this address if need be; false if there is none. */
  makeRoom(address: string): boolean {
    const reason = this.#fullness(address);
    if (reason === null || this.#evict(reason, address)) return true;
    this.#options.onRefused(reason);
    return false;
  }

  add(connection: Connection): void {
    this.all.add(connection);
    const { address } = connection;
    this.#countByAddress.set(address, (this.#countByAddress.get(address) ?? 0) + 1);
  }

  remove(connection: Connection): void {
    const { address } = connection;
    this.all.delete(connection);
    const left = (this.#countByAddress.get(address) ?? 1) - 1;
    if (left === 0) this.#countByAddress.delete(address);
    else this.#countByAddress.set(address, left);
  }

  #fullness(address: string): RefusedConnection | null {
    const { maxConnections, maxPerAddress, trustedProxies } = this.#options;
    const isFull = (this.#countByAddress.get(address) ?? 0) >= maxPerAddress;
    // First, because an address that has its share must not take places from others.
    if (isFull && !isTrustedProxy(trustedProxies, address)) return 'address';
    return this.all.size >= maxConnections ? 'all' : null;
  }

  #evict(reason: RefusedConnection, address: string): boolean {
    const victim = this.#findVictim(reason === 'all' ? null : address);
    if (victim === undefined) return false;
    if (phaseOf(victim) !== 'idle') this.#options.onRefused(reason);
    // Its place is free at once, not when its close has been reported.
    this.all.delete(victim);
    destroy(victim);
    return true;
  }

  #findVictim(address: string | null): Connection | undefined {
    const take = () => {
      const index = this.#evictable.findIndex(
        (one) => (address === null || one.address === address) && isEvictable(one),
      );
      return index === -1 ? undefined : this.#evictable.splice(index, 1)[0];
    };
    const now = performance.now();
    const known = take();
    if (known !== undefined || now - this.#scannedAt < rescanMs) return known;
    this.#evictable = this.#scan(now);
    // A scan that finds few is not worth repeating for each new connection.
    this.#scannedAt = this.#evictable.length * 10 < this.all.size ? now : Number.NEGATIVE_INFINITY;
    return take();
  }

  /** First the oldest whose request does not arrive, then idle ones, then those whose request has not arrived yet. */
  #scan(now: number): Connection[] {
    const overdue: Connection[] = [];
    const idle: Connection[] = [];
    const arriving: Connection[] = [];
    for (const connection of this.all) {
      const phase = phaseOf(connection);
      if (phase === 'answering') continue;
      if (phase === 'idle') idle.push(connection);
      else if (now - connection.since >= patienceMs) overdue.push(connection);
      else arriving.push(connection);
    }
    return [...overdue, ...idle, ...arriving];
  }
}

export function phaseOf({ response, isUsed }: Connection): Phase {
  if (response === null) return isUsed ? 'idle' : 'opening';
  if (!response.req.complete) return 'receiving';
  return response.writableFinished ? 'idle' : 'answering';
}

function isEvictable(connection: Connection): boolean {
  return !connection.accepted.destroyed && phaseOf(connection) !== 'answering';
}

export function destroy({ accepted, socket }: Connection): void {
  socket?.destroy();
  accepted.destroy();
}
