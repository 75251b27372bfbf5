import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { listen } from '../support/http/document-server.ts';

export interface Mishap {
  /** The beginning of its first line, such as `POST /api/consumer/v1/notes`. */
  readonly on: string;
  /**
   * `before`: it never arrives. `after`: it arrives, and the answer gets lost. `within`: half of the answer's body gets lost. An
   * object: it is answered here, and never arrives.
   */
  readonly what: 'before' | 'after' | 'within' | MadeAnswer;
  readonly times?: number;
}

interface MadeAnswer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: object;
}

/** A proxy that resets connections, for one request or for all. */
export class CuttingProxy {
  readonly #server: Server;
  readonly url: string;
  readonly #sockets = new Set<Socket>();
  readonly #target: () => URL;
  readonly #mishaps: { mishap: Mishap; left: number }[] = [];
  /** The first line of every request, without its version. */
  readonly requests: string[] = [];
  cuts = 0;

  private constructor(server: Server, url: string, target: () => URL) {
    this.#server = server;
    this.url = url;
    this.#target = target;
    server.on('connection', (near) => this.#accept(near));
  }

  static async start(target: () => URL): Promise<CuttingProxy> {
    const server = createServer();
    return new CuttingProxy(server, await listen(server), target);
  }

  arrange(mishap: Mishap): void {
    this.#mishaps.push({ mishap, left: mishap.times ?? 1 });
  }

  /** Removes all faults. */
  calm(): void {
    this.#mishaps.length = 0;
  }

  cutAll(): void {
    for (const socket of this.#sockets) this.#cut(socket);
  }

  async stop(): Promise<void> {
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
    await once(this.#server, 'close');
  }

  #accept(near: Socket): void {
    const { port, hostname } = this.#target();
    const far = connect(Number(port), hostname);
    let loses: 'after' | 'within' | null = null;
    this.#sockets.add(near);
    near.on('error', () => {});
    far.on('error', () => {});
    near.once('close', () => {
      this.#sockets.delete(near);
      far.destroy();
    });
    far.once('close', () => near.destroy());
    near.on('data', (bytes) => {
      const [, line] = /^([A-Z]+ \S+) HTTP\/1\.1\r\n/.exec(bytes.toString('latin1')) ?? [];
      const what = line === undefined ? null : this.#whatHappensTo(line);
      if (what === null) far.write(bytes);
      else if (what === 'before') this.#cut(near);
      else if (typeof what === 'object') near.write(written(what));
      else {
        loses = what;
        far.write(bytes);
      }
    });
    far.on('data', (bytes: Buffer) => {
      if (loses === null) near.write(bytes);
      else if (loses === 'after') this.#cut(near);
      else {
        // Send the head and half of the body, then end: a reset would discard the bytes sent before.
        this.cuts += 1;
        const head = bytes.indexOf('\r\n\r\n') + 4;
        near.end(bytes.subarray(0, (head + bytes.length) >> 1));
        far.removeAllListeners('data').pause();
      }
    });
  }

  #whatHappensTo(line: string): Mishap['what'] | null {
    this.requests.push(line);
    const index = this.#mishaps.findIndex(({ mishap }) => line.startsWith(mishap.on));
    const found = this.#mishaps[index];
    if (found === undefined) return null;
    found.left -= 1;
    if (found.left === 0) this.#mishaps.splice(index, 1);
    return found.mishap.what;
  }

  #cut(socket: Socket): void {
    this.cuts += 1;
    socket.resetAndDestroy();
  }
}

/** Adds CORS headers, so that a page of any origin can read the response. */
function written({ status, headers = {}, body = {} }: MadeAnswer): string {
  const text = JSON.stringify(body);
  const all = {
    'content-type': status < 400 ? 'application/json' : 'application/problem+json',
    'content-length': String(text.length),
    'access-control-allow-origin': '*',
    'access-control-expose-headers': 'Retry-After, ETag, RateLimit, Events-Position',
    ...headers,
  };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${status} Made\r\n${lines.join('')}\r\n${text}`;
}
