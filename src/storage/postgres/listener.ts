import { setTimeout as delay } from 'node:timers/promises';
import { Client } from 'pg';
import { impatientSocket } from './pool.ts';

/** A connection that broke without a word is noticed by asking it something. */
const askEveryMs = 5_000;
const farewellMs = 500;
const echoWithinMs = 3_000;

/** One connection that listens. */
export class Listener {
  /** Settles when it has ended, or is to end. */
  readonly ended: Promise<void>;
  readonly #client: Client;
  // Or it would wait for ever for the farewell of a server that has fallen silent.
  readonly #socket = impatientSocket();
  readonly #end: () => void;
  readonly #next = new Map<string, () => void>();
  #asking: NodeJS.Timeout | undefined;

  constructor(url: string, signal: AbortSignal | null, onNotification: (channel: string) => void = () => {}) {
    this.#client = new Client({
      connectionString: url,
      connectionTimeoutMillis: 3_000,
      query_timeout: 3_000,
      stream: () => this.#socket,
    });
    const ended = Promise.withResolvers<void>();
    this.ended = ended.promise;
    this.#end = () => ended.resolve();
    this.#client.on('error', this.#end);
    this.#client.on('end', this.#end);
    this.#client.on('notification', ({ channel }) => {
      this.#next.get(channel)?.();
      onNotification(channel);
    });
    if (signal?.aborted) this.#end();
    signal?.addEventListener('abort', this.#end);
    void this.ended.then(() => signal?.removeEventListener('abort', this.#end));
  }

  async listen(names: readonly string[]): Promise<void> {
    await Promise.race([this.#listen(names), this.failed()]);
    this.#asking = setInterval(() => this.#client.query('select 1').catch(this.#end), askEveryMs).unref();
  }

  async #listen(names: readonly string[]): Promise<void> {
    await this.#client.connect();
    for (const name of names) await this.#client.query(`listen ${name}`);
  }

  /** Rejects when it has ended. */
  async failed(): Promise<never> {
    await this.ended;
    throw new Error('the connection that listens has ended');
  }

  /** The next notification of that name. */
  next(channel: string): Promise<void> {
    return new Promise((resolve) => this.#next.set(channel, resolve));
  }

  async end(): Promise<void> {
    this.#end();
    clearInterval(this.#asking);
    const farewell = this.#client.end().catch(() => {});
    await Promise.race([farewell, delay(farewellMs, undefined, { ref: false })]);
    this.#socket.destroy();
  }
}

/**
 * Whether a notification arrives here that another connection sends. The same one would not do: a pooler that gives it
 * back after each transaction hands on what arrives within it.
 */
export async function isHeard(
  listener: Listener,
  channel: string,
  notify: (channel: string) => Promise<unknown>,
): Promise<boolean> {
  const heard = listener.next(channel);
  await notify(channel);
  const late = new AbortController();
  const silence = delay(echoWithinMs, false, { signal: late.signal, ref: false }).catch(() => false);
  try {
    return await Promise.race([heard.then(() => true), silence, listener.failed()]);
  } finally {
    late.abort();
  }
}
