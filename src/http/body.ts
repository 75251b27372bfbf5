import { Buffer } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { Refusal } from '../base/errors.ts';
import { ByteBudget, type Holder } from './byte-budget.ts';

/** What the bodies of all authenticated callers may hold together, and what those of one caller may. */
export const maxBodyBytesInAll = 64 * 1024 * 1024;
export const maxBodyBytesPerCaller = 8 * 1024 * 1024;
/** The same for requests without a caller (POST /token and the like), and for one address. */
export const maxAnonymousBodyBytesInAll = 16 * 1024 * 1024;
export const maxAnonymousBodyBytesPerAddress = 4 * 1024 * 1024;
/** Each piece costs a turn through Node's parser, however small it is: nobody sends a body letter by letter. */
export const mostBodyPieces = 4_096;

const smallestBuffer = 1_024;

export function hasBody({ headers }: IncomingMessage): boolean {
  const length = headers['content-length'];
  return headers['transfer-encoding'] !== undefined || (length !== undefined && length !== '0');
}

/** Whether a body says by itself that it is larger than that. */
export function isTooLong({ headers }: IncomingMessage, maxBytes: number): boolean {
  return Number(headers['content-length'] ?? 0) > maxBytes;
}

/** Reads the bodies of requests, each into one buffer that is no larger than need be. */
export class BodyReader {
  readonly #maxBytes: number;
  readonly #authenticated = new ByteBudget(maxBodyBytesInAll, maxBodyBytesPerCaller, 'request bodies');
  readonly #anonymous = new ByteBudget(
    maxAnonymousBodyBytesInAll,
    maxAnonymousBodyBytesPerAddress,
    'request bodies',
  );

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** `callerId` is null for a request without a caller, which is counted by its address. */
  read(request: IncomingMessage, callerId: string | null, address: string): PendingBody {
    if (isTooLong(request, this.#maxBytes)) throw new Refusal('body_too_large');
    const budget = callerId === null ? this.#anonymous : this.#authenticated;
    return new PendingBody(request, this.#maxBytes, budget, callerId ?? address);
  }
}

/** A body on its way in. */
export class PendingBody implements Holder {
  /** The whole body. Rejects as soon as it is known to be too large, when it gives way, or when the caller breaks off. */
  readonly bytes: Promise<Uint8Array>;
  readonly key: string;
  readonly #request: IncomingMessage;
  readonly #maxBytes: number;
  readonly #budget: ByteBudget;
  readonly #settle: { resolve(bytes: Uint8Array): void; reject(error: unknown): void };
  #buffer = Buffer.alloc(0);
  #length = 0;
  #pieces = 0;

  constructor(request: IncomingMessage, maxBytes: number, budget: ByteBudget, key: string) {
    this.#request = request;
    this.#maxBytes = maxBytes;
    this.#budget = budget;
    this.key = key;
    const { promise, ...settle } = Promise.withResolvers<Uint8Array>();
    this.bytes = promise;
    this.#settle = settle;
    // Without a listener a rejection would end the process.
    promise.catch(() => {});
    budget.begin(this);
    request.on('data', this.#take);
    request.once('end', this.#end);
    request.once('close', this.#breakOff);
    if (request.destroyed) this.#breakOff();
  }

  get holdsBytes(): boolean {
    return this.#buffer.length > 0;
  }

  /** Once the bytes are not needed any more, whether all of them have come or not. */
  release(): void {
    this.#stop();
    this.#budget.giveBack(this, this.#buffer.length);
    this.#buffer = Buffer.alloc(0);
  }

  giveWay(refusal: Refusal): void {
    this.release();
    this.#settle.reject(refusal);
  }

  readonly #take = (piece: Buffer): void => {
    try {
      this.#pieces += 1;
      const length = this.#length + piece.length;
      if (length > this.#maxBytes || this.#pieces > mostBodyPieces) throw new Refusal('body_too_large');
      if (length > this.#buffer.length) this.#grow(length);
      piece.copy(this.#buffer, this.#length);
      this.#length = length;
    } catch (error) {
      this.#stop();
      this.#settle.reject(error);
    }
  };

  #grow(length: number): void {
    const size = Math.min(Math.max(length, 2 * this.#buffer.length, smallestBuffer), this.#maxBytes);
    this.#budget.take(this, size - this.#buffer.length);
    // Not from Node's pool, of which a small buffer would keep a large one alive.
    const larger = Buffer.allocUnsafeSlow(size);
    this.#buffer.copy(larger, 0, 0, this.#length);
    this.#buffer = larger;
  }

  readonly #end = (): void => {
    this.#stop();
    this.#settle.resolve(this.#buffer.subarray(0, this.#length));
  };

  readonly #breakOff = (): void => {
    this.#settle.reject(new Refusal('bad_request', { detail: 'the body broke off' }));
  };

  #stop(): void {
    this.#budget.finish(this);
    this.#request.off('data', this.#take);
    this.#request.off('end', this.#end);
    this.#request.off('close', this.#breakOff);
  }
}

interface Leftover {
  readonly maxBytes: number;
  /** Called once: when all of it has gone by (true), or when it is more than that or the caller is gone (false). */
  readonly onOver: (hasEnded: boolean) => void;
}

/** Lets the rest of a body that nobody wants go by without keeping any of it. */
export function discardBody(request: IncomingMessage, { maxBytes, onOver }: Leftover): void {
  let bytes = 0;
  let pieces = 0;
  const over = (hasEnded: boolean) => {
    request.off('data', pass);
    request.off('end', end);
    request.off('close', close);
    onOver(hasEnded);
  };
  const pass = (piece: Buffer) => {
    bytes += piece.length;
    pieces += 1;
    if (bytes > maxBytes || pieces > mostBodyPieces) over(false);
  };
  const end = () => over(true);
  const close = () => over(false);
  request.on('data', pass);
  request.once('end', end);
  request.once('close', close);
}
