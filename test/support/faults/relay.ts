import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

interface Way {
  readonly near: Socket;
  readonly far: Socket | null;
}

/** A TCP relay to a server that can fall silent: connections stay open, and no bytes pass. */
export class Relay {
  readonly #server: Server;
  readonly #ways = new Set<Way>();
  #target: URL;
  #isSilent = false;
  accepted = 0;

  private constructor(server: Server, target: URL) {
    this.#server = server;
    this.#target = target;
    server.on('connection', (near) => this.#accept(near));
  }

  static async start(target: URL): Promise<Relay> {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new Relay(server, target);
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  fallSilent(): void {
    this.#isSilent = true;
    for (const { near, far } of this.#ways) {
      near.unpipe().pause();
      far?.unpipe().pause();
    }
  }

  /** For new connections; those that were cut off stay so. */
  speak(): void {
    this.#isSilent = false;
  }

  /** Connections to come lead to this server. Those that are there stay where they are. */
  leadTo(target: URL): void {
    this.#target = target;
  }

  async stop(): Promise<void> {
    this.#server.close();
    for (const { near } of this.#ways) near.destroy();
    await once(this.#server, 'close');
  }

  #accept(near: Socket): void {
    this.accepted += 1;
    const { port, hostname } = this.#target;
    const far = this.#isSilent ? null : connect(Number(port), hostname);
    const way = { near, far };
    this.#ways.add(way);
    near.on('error', () => {});
    near.once('close', () => {
      this.#ways.delete(way);
      far?.destroy();
    });
    if (far === null) return;
    far.on('error', () => {});
    far.once('close', () => near.destroy());
    near.pipe(far);
    far.pipe(near);
  }
}
