import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

export type RawAnswer = { readonly status: number; readonly head: string; readonly milliseconds: number };

type OnAnswer = (answer: RawAnswer, connection: RawConnection) => void;

/**
 * A connection over which requests go as bytes, one behind the other if that is wanted, and whose answers are timed.
 * It does as little as it can: the load has to be several times what the service can take, from one core.
 */
export class RawConnection {
  readonly socket: Socket;
  readonly #onAnswer: OnAnswer;
  readonly #sentAt: number[] = [];
  #received = '';

  private constructor(socket: Socket, onAnswer: OnAnswer) {
    this.socket = socket;
    this.#onAnswer = onAnswer;
    socket.setEncoding('latin1');
    socket.on('data', (chunk: string) => this.#read(chunk));
  }

  static async open(
    origin: string,
    localAddress: string,
    onAnswer: OnAnswer = () => {},
  ): Promise<RawConnection> {
    const { hostname, port } = new URL(origin);
    const socket = connect({ host: hostname, port: Number(port), localAddress, noDelay: true });
    await once(socket, 'connect');
    // A flooding client is cut off at times.
    socket.on('error', () => {});
    return new RawConnection(socket, onAnswer);
  }

  /** Requests without an answer. */
  get waiting(): number {
    return this.#sentAt.length;
  }

  get isOpen(): boolean {
    return !this.socket.destroyed && this.socket.writable;
  }

  send(bytes: string, requests = 1): boolean {
    const now = performance.now();
    for (let count = 0; count < requests; count += 1) this.#sentAt.push(now);
    return this.socket.write(bytes, 'latin1');
  }

  #read(chunk: string): void {
    this.#received += chunk;
    for (;;) {
      const headEnd = this.#received.indexOf('\r\n\r\n');
      if (headEnd === -1) return;
      const head = this.#received.slice(0, headEnd);
      const length = Number(/\r\ncontent-length: (\d+)/i.exec(head)?.[1] ?? 0);
      if (this.#received.length < headEnd + 4 + length) return;
      this.#received = this.#received.slice(headEnd + 4 + length);
      const milliseconds = performance.now() - (this.#sentAt.shift() ?? 0);
      this.#onAnswer({ status: Number(head.slice(9, 12)), head, milliseconds }, this);
    }
  }
}

/** So many, open; no more at a time than a queue of the system holds. */
export async function openMany(count: number, open: (index: number) => Promise<RawConnection>) {
  const connections: RawConnection[] = [];
  while (connections.length < count) {
    const many = Math.min(100, count - connections.length);
    const next = Array.from({ length: many }, (_, index) => open(connections.length + index));
    connections.push(...(await Promise.all(next)));
  }
  return connections;
}
