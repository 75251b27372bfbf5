import type { Server as HttpsServer } from 'node:https';
import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import type { Clock } from '../base/clock.ts';
import { OperatorError } from '../base/errors.ts';

/** A server's life: it begins to listen, takes up a renewed certificate, and ends within a deadline. */
export class Listener {
  readonly #server: FastifyInstance;
  readonly #clock: Clock;
  /**
   * Every open socket, those too that the platform's HTTP server does not count as its own: in the middle of a TLS
   * handshake, or after a request for a tunnel.
   */
  readonly #sockets = new Set<Socket>();

  constructor(server: FastifyInstance, clock: Clock) {
    this.#server = server;
    this.#clock = clock;
    server.server.on('connection', (socket: Socket) => {
      this.#sockets.add(socket);
      // The platform notes the answer on the socket. Asked now, of all of them, it leaves them alike; asked later, of a
      // few, it makes two kinds of plain sockets, and every request is the dearer for it.
      void socket.remoteAddress;
      socket.once('close', () => this.#sockets.delete(socket));
    });
  }

  /** The address, as a caller would write it. `setting` is where an operator would choose another port. */
  async listen(host: string, port: number, setting: string): Promise<string> {
    try {
      const address = await this.#server.listen({ host, port });
      // The library does not know of TLS that it did not set up itself.
      return this.#tlsServer() === null ? address : address.replace(/^http:/, 'https:');
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
  }

  /** Lets requests in flight finish; past the deadline every connection is cut off, whatever state it is in. */
  async close(deadlineMs: number): Promise<void> {
    const cancel = this.#clock.after(deadlineMs, () => {
      for (const socket of this.#sockets) socket.destroy();
    });
    await this.#server.close();
    cancel();
  }

  /** For connections to come; those that are open keep the old certificate. */
  renew(tls: { readonly cert: string; readonly key: string }): void {
    this.#tlsServer()?.setSecureContext(tls);
  }

  #tlsServer(): HttpsServer | null {
    const { server } = this.#server;
    return 'setSecureContext' in server ? (server as unknown as HttpsServer) : null;
  }
}
