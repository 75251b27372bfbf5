import type { Server as HttpsServer } from 'node:https';
import type { AddressInfo, Server, Socket } from 'node:net';
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
  async listen(host: string, port: number, setting: string, reusePort = false): Promise<string> {
    const { server } = this.#http;
    const { address, port: actual, family } = await listenOn(server, { host, port, reusePort }, setting);
    const name = family === 'IPv6' ? `[${address}]` : address;
    return `${this.#tlsServer() === null ? 'http' : 'https'}://${name}:${actual}`;
  }

  /** Takes a connection that another process has accepted. */
  take(socket: Socket): void {
    const { server } = this.#http;
    if (!server.listening) {
      socket.destroy();
      return;
    }
    // As Node does for those that it accepts for an HTTP server.
    socket.setNoDelay(true);
    server.emit('connection', socket);
  }

  /** Lets requests in flight finish; past the deadline every connection is cut off, whatever state it is in. */
  async close(deadlineMs: number): Promise<void> {
    const { server, connections } = this.#http;
    const cancel = this.#clock.after(deadlineMs, () => connections.destroyAll());
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    server.closeIdleConnections();
    await closed;
    // Node does not count those that another process has accepted.
    await connections.allClosed();
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

/**
 * Connections that the system keeps until they are accepted, if its own limit allows as many. Past that it drops the first
 * packet of the next ones, and whoever sent it tries again after one second, three and seven.
 */
const backlog = 4_096;

interface ListenAddress {
  readonly host: string;
  readonly port: number;
  /** Whether other processes of this user may listen there, too. */
  readonly reusePort: boolean;
}

/** Where it listens then. Throws what an operator can do something about. */
export async function listenOn(server: Server, place: ListenAddress, setting: string): Promise<AddressInfo> {
  const { host, port } = place;
  try {
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen({ ...place, backlog }, () => {
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
    throw new OperatorError(`Cannot listen on ${host}:${port} (${code}). Check HOST and ${setting}.`, {
      cause: error,
    });
  }
  return server.address() as AddressInfo;
}
