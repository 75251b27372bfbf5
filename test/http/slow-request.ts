import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { head, parseReply } from '../support/http/raw-http.ts';
import type { Reply } from '../support/http/request.ts';

/** A POST with JSON whose head the service has read and whose body is still to come. */
export class SlowRequest {
  readonly closed: Promise<unknown>;
  readonly #socket: Socket;
  #received = '';

  private constructor(url: string) {
    const { hostname, port } = new URL(url);
    this.#socket = connect(Number(port), hostname);
    this.closed = once(this.#socket, 'close');
    this.#socket.on('data', (chunk) => {
      this.#received += chunk.toString('latin1');
    });
  }

  static async begin(url: string, path: string, length: number, ...lines: string[]): Promise<SlowRequest> {
    const slow = new SlowRequest(url);
    const about = ['content-type: application/json', `content-length: ${length}`, 'expect: 100-continue'];
    slow.#socket.write(head('POST', path, ...about, ...lines));
    // "100 Continue" shows that the service has begun with the request.
    await once(slow.#socket, 'data');
    assert.equal(slow.#received, 'HTTP/1.1 100 Continue\r\n\r\n');
    return slow;
  }

  write(text: string): void {
    this.#socket.write(text);
  }

  async finish(rest: string): Promise<Reply> {
    this.#received = '';
    this.#socket.write(rest);
    await this.closed;
    return parseReply(this.#received);
  }
}
