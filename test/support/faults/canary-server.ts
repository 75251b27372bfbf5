import { createServer, type Server } from 'node:net';

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
    await new Promise<void>((resolve) => canary.#server.listen(0, '127.0.0.1', resolve));
    // A check that fails before stop() must not keep the test from ending.
    canary.#server.unref();
    canary.host = `127.0.0.1:${(canary.#server.address() as { port: number }).port}`;
    return canary;
  }

  async stop(): Promise<void> {
    await new Promise((resolve) => this.#server.close(resolve));
  }
}
