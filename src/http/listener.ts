import type { Server as HttpsServer } from 'node:https';
import type { AddressInfo, Server, Socket } from 'node:net';
import type { Clock } from '../base/clock.ts';
import { OperatorError } from '../base/errors.ts';
import type { HttpServer } from './server.ts';

export class Listener {
  readonly #http: HttpServer;
  readonly #clock: Clock;

  constructor(http: HttpServer, clock: Clock) {
    this.#http = http;
    this.#clock = clock;
  }

  /** Returns the address. `setting` names the port for error messages. */
  async listen(host: string, port: number, setting: string): Promise<string> {
    return addressText(
      await listenOn(this.#http.server, { host, port }, setting),
      this.#tlsServer() !== null,
    );
  }

  /** Instead of `listen`: the server gets connections by `take` only. */
  open(): void {
    // Node begins to check the timeouts of requests on this event.
    this.#http.server.emit('listening');
  }

  /** Takes a connection that another server or process has accepted. False if this server is closing. */
  take(socket: Socket): boolean {
    if (this.#http.connections.isClosing) {
      socket.destroy();
      return false;
    }
    // As Node does for connections that an HTTP server accepts itself.
    socket.setNoDelay(true);
    socket.allowHalfOpen = true;
    return this.#http.server.emit('connection', socket);
  }

  /** Lets requests in flight finish; past the deadline all connections are destroyed. */
  async close(deadlineMs: number): Promise<void> {
    const { server, connections } = this.#http;
    connections.isClosing = true;
    const cancel = this.#clock.after(deadlineMs, () => connections.destroyAll());
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    server.closeIdleConnections();
    await closed;
    // Node does not count connections that came by `take`.
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

/** Connections that the system queues. Past that it drops SYN packets, and clients retry after one second, three and seven. */
const backlog = 4_096;

export function addressText({ address, port, family }: AddressInfo, isTls: boolean): string {
  return `${isTls ? 'https' : 'http'}://${family === 'IPv6' ? `[${address}]` : address}:${port}`;
}

export async function listenOn(
  server: Server,
  { host, port }: { readonly host: string; readonly port: number },
  setting: string,
): Promise<AddressInfo> {
  try {
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen({ host, port, backlog }, () => {
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
