import { connect } from 'node:net';
import { assertDocumented } from './openapi.ts';
import type { Reply } from './request.ts';

/** Who ends the conversation: the server after its answer, or we, before or after we have one. */
type Ending = 'server' | 'at once' | 'when answered';

/** Bytes over a socket of their own, and all that came back until it closed, however it closed. */
export function exchange(url: string, bytes: string | Buffer, ending: Ending = 'server'): Promise<string> {
  const { hostname, port } = new URL(url);
  const { promise, resolve } = Promise.withResolvers<string>();
  const socket = connect(Number(port), hostname);
  const received: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => {
    received.push(chunk);
    if (ending === 'when answered') socket.end();
  });
  // A server may refuse before it has read everything; the rest of our bytes then meets a closed door.
  socket.on('error', () => {});
  socket.on('close', () => resolve(Buffer.concat(received).toString('latin1')));
  if (ending === 'at once') socket.end(bytes);
  else socket.write(bytes);
  return promise;
}

/** A request head by hand: exactly this path and these header lines, and the server closes after its answer. */
export function head(method: string, path: string, ...headerLines: string[]): string {
  const lines = [`${method} ${path} HTTP/1.1`, 'host: 127.0.0.1', 'connection: close', ...headerLines];
  return `${lines.join('\r\n')}\r\n\r\n`;
}

/** The one answer to bytes sent by hand, held against the service's own description of itself. */
export async function rawReply(url: string, bytes: string | Buffer): Promise<Reply> {
  const reply = parseReply(await exchange(url, bytes));
  const [, method = '', path = ''] = /^([A-Z]+) (\S+) HTTP/.exec(bytes.toString('latin1')) ?? [];
  const { status, headers, text } = reply;
  await assertDocumented(new URL(url).origin, { method, path, status, headers, body: text });
  return reply;
}

export function parseReply(answer: string): Reply {
  const [top = '', ...rest] = answer.split('\r\n\r\n');
  const [statusLine = '', ...headerLines] = top.split('\r\n');
  const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(statusLine)?.[1]);
  if (Number.isNaN(status)) throw new Error(`This is no HTTP answer: ${JSON.stringify(answer)}`);
  const headers = new Headers();
  for (const line of headerLines) {
    const colon = line.indexOf(':');
    headers.append(line.slice(0, colon), line.slice(colon + 1).trim());
  }
  const text = rest.join('\r\n\r\n');
  return { status, headers, text, json: () => JSON.parse(text) };
}

export function statuses(answer: string): number[] {
  return [...answer.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status));
}
