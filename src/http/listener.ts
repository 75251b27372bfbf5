import type { Server as HttpsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { Clock } from '../base/clock.ts';
import { OperatorError } from '../base/errors.ts';
import type { HttpServer } from './server.ts';

/** A server's life: it begins to listen, takes up a renewed certificate, and ends within a deadline. */
export class Listener {
  readonly #http: HttpServer;
  readonly #clock: Clock;

  constructor(http: HttpServer, clock: Clock) {
    this.#http = http;
    this.#clock = clock;
  }

  /** The address, as a caller would write it. `setting` is where an operator would choose another port. */
  async listen(host: string, port: number, setting: string): Promise<string> {
    const { server } = this.#http;
    try {
      await new Promise<void>((resolve, reject) => {
        server.once('error', reject);
        server.listen({ host, port }, () => {
          server.off('error', reject);
          resolve();
        });
      });
    } catch (error) {
      const { code } = error as { code?: string };
      if (code === 'EADDRINUSE') {
        throw new OperatorError(
          `Port ${port} on ${host} is taken by another process. Stop it, or choose another port with ${setting}, for example ${setting}=${port + 10}.`,
        );
      }
      if (code === undefined) throw error;
      throw new OperatorError(`Cannot listen on ${host}:${port} (${code}). Check HOST and ${setting}.`);
    }
    const { address, port: actual, family } = server.address() as AddressInfo;
    const name = family === 'IPv6' ? `[${address}]` : address;
    return `${this.#tlsServer() === null ? 'http' : 'https'}://${name}:${actual}`;
  }

  /** Lets requests in flight finish; past the deadline every connection is cut off, whatever state it is in. */
  async close(deadlineMs: number): Promise<void> {
    const { server, connections } = this.#http;
    const cancel = this.#clock.after(deadlineMs, () => connections.destroyAll());
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    server.closeIdleConnections();
    await closed;
    cancel();
  }

  /** For connections to come; those that are open keep the old certificate. */
  renew(tls: { readonly cert: string; readonly key: string }): void {
    this.#tlsServer()?.setSecureContext(tls);
  }

  #tlsServer(): HttpsServer | null {
    const { server } = this.#http;
    return 'setSecureContext' in server ? (server as HttpsServer) : null;
  }
}
