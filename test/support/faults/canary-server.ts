import { createServer, type Server } from 'node:net';
import { listen } from '../http/document-server.ts';

/** A server on loopback that no request should reach: counts connections. */
export class CanaryServer {
  connections = 0;
  host = '';
  readonly #server: Server = createServer((socket) => {
    this.connections += 1;
    socket.destroy();
  });

  static async start(): Promise<CanaryServer> {
    const canary = new CanaryServer();
    canary.host = new URL(await listen(canary.#server)).host;
    // A check that fails before stop() must not keep the test from ending.
    canary.#server.unref();
    return canary;
  }

  async stop(): Promise<void> {
    await new Promise((resolve) => this.#server.close(resolve));
  }
}
