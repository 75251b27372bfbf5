import { connect } from 'node:net';
import { canaryHeaders } from './canaries.ts';
import { documentedReply } from './openapi.ts';

export interface Reply {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The body as JSON. */
  json<T = Record<string, unknown>>(): T;
}

/**
 * A request as a careless browser sends it: with things in its headers that must not be kept. The answer is held
 * against the service's own description of itself.
 */
export async function request(url: string, init: RequestInit = {}): Promise<Reply> {
  const response = await fetch(url, { ...init, headers: { ...canaryHeaders, ...init.headers } });
  const { status, headers } = response;
  const text = await response.text();
  return documentedReply(url, init.method ?? 'GET', { status, headers, text, json: () => JSON.parse(text) });
}

export function withToken(url: string, token: string): Promise<Reply> {
  return request(url, { headers: { authorization: `Bearer ${token}` } });
}

/** Bytes over a socket, for what no HTTP client would send; all that came back until the server closed. */
export function rawRequest(url: string, bytes: string | Buffer, timeoutMs = 10_000): Promise<string> {
  const { hostname, port } = new URL(url);
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const socket = connect(Number(port), hostname);
  let received = '';
  socket.setTimeout(timeoutMs, () => socket.destroy(new Error(`no end of the answer, only: ${received}`)));
  socket.on('data', (chunk) => {
    received += chunk.toString('latin1');
  });
  socket.on('error', reject);
  socket.on('close', () => resolve(received));
  socket.write(bytes);
  return promise;
}
