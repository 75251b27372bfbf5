import type { OutgoingHttpHeaders } from 'node:http';
import { gzipSync } from 'node:zlib';
import type { Answer } from '../tokens/provider.ts';

export function answerWith(
  status: number,
  body: string | Buffer = '',
  headers: OutgoingHttpHeaders = {},
): Answer {
  return (_request, response) => {
    response.writeHead(status, headers).end(body);
  };
}

export function answerText(body: string | Buffer, type = 'application/json'): Answer {
  return answerWith(200, body, { 'content-type': type });
}

export const silence: Answer = () => {};

/** A head that never ends, a byte a second. */
export const slowHead: Answer = (request) => {
  request.socket.write('HTTP/1.1 200 OK\r\nx-slow: ');
  const drip = setInterval(() => request.socket.write('a'), 1_000);
  request.socket.on('close', () => clearInterval(drip));
};

/** A body that never ends, a byte a second. */
export const slowBody: Answer = (_request, response) => {
  response.writeHead(200, { 'content-type': 'application/json' });
  response.write('{"keys":');
  const drip = setInterval(() => response.write(' '), 1_000);
  response.on('close', () => clearInterval(drip));
};

/** Many bytes, as fast as they are taken; `sent` is how many went out before the other side hung up. */
export function flood(headers: OutgoingHttpHeaders, chunk: Buffer, chunks: number) {
  const state = { sent: 0, hungUp: false };
  const answer: Answer = (_request, response) => {
    let left = chunks;
    response.on('close', () => {
      state.hungUp = !response.writableFinished;
    });
    const push = () => {
      while (left > 0 && !response.destroyed) {
        left -= 1;
        state.sent += chunk.length;
        if (!response.write(chunk)) {
          response.once('drain', push);
          return;
        }
      }
      if (left <= 0) response.end();
    };
    response.writeHead(200, { 'content-type': 'application/json', ...headers });
    push();
  };
  return { answer, state };
}

/** Ten megabytes of blanks in ten kilobytes. */
export function gzipBomb(): Buffer {
  return gzipSync(Buffer.alloc(10 * 1024 * 1024, ' '));
}
