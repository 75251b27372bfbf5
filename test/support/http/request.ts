import { Buffer } from 'node:buffer';
import { Agent, request as httpRequest } from 'node:http';
import { canaryHeaders } from '../faults/canaries.ts';
import { documentedReply } from './openapi.ts';

export interface Reply {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  json<T = Record<string, unknown>>(): T;
}

/** `localAddress`: the address that it comes from; all of 127.0.0.0/8 is this machine. */
interface Init extends RequestInit {
  readonly localAddress?: string;
  readonly agent?: Agent;
}

/**
 * A request as a careless browser sends it: with things in its headers that must not be kept. The answer is held
 * against the service's own description of itself.
 */
export async function request(url: string, init: Init = {}): Promise<Reply> {
  const reply = await send(url, { ...init, headers: { ...canaryHeaders, ...init.headers } });
  return documentedReply(url, init.method ?? 'GET', { ...reply, json: () => JSON.parse(reply.text) });
}

/** The last exchanges of this process, for the message of a failing test. */
const exchanges: { method: string; url: string; body: Init['body']; status: number; text: string }[] = [];

/** The last three exchanges, a line for each request and each answer. Forgets them. */
export function takeExchanges(): readonly string[] {
  return exchanges.splice(0).flatMap(({ method, url, body, status, text }) => {
    const sent = body instanceof Uint8Array ? Buffer.from(body) : (body ?? '');
    return [`asked ${method} ${url} ${sent}`, `came  ${status} ${text}`].map((line) => line.slice(0, 500));
  });
}

// On a busy machine the service may close an idle connection in the moment in which it is used again.
const ownAgent = new Agent({ keepAlive: true, agentKeepAliveTimeoutBuffer: 30_000 });

/** `fetch` took almost half of the time of the processes that run tests; `node:http` takes a third of that. */
export function send(url: string, init: Init = {}): Promise<Omit<Reply, 'json'>> {
  const { method = 'GET', body = null, signal, localAddress, agent = ownAgent } = init;
  const { promise, resolve, reject } = Promise.withResolvers<Omit<Reply, 'json'>>();
  const headers = new Headers(init.headers);
  if (body instanceof URLSearchParams && !headers.has('content-type'))
    headers.set('content-type', 'application/x-www-form-urlencoded;charset=UTF-8');
  const bytes = body instanceof Uint8Array ? body : Buffer.from(body === null ? '' : String(body));
  if (body !== null || method === 'POST' || method === 'PUT')
    headers.set('content-length', String(bytes.length));
  const options = {
    agent,
    method,
    headers: Object.fromEntries(headers),
    ...(signal ? { signal } : {}),
    localAddress,
  };
  const asked = httpRequest(url, options, async (response) => {
    try {
      const received = new Headers();
      const raw = response.rawHeaders;
      for (let at = 0; at < raw.length; at += 2) received.append(String(raw[at]), String(raw[at + 1]));
      const chunks = await response.toArray();
      const text = Buffer.concat(chunks).toString();
      if (exchanges.push({ method, url, body, status: Number(response.statusCode), text }) > 3)
        exchanges.shift();
      resolve({ status: Number(response.statusCode), headers: received, text });
    } catch (error) {
      reject(error);
    }
  });
  asked.on('error', reject);
  asked.end(bytes);
  return promise;
}

export function withToken(url: string, token: string): Promise<Reply> {
  return request(url, { headers: { authorization: `Bearer ${token}` } });
}

/** A GET from an address of this machine, over a connection of its own. */
export function requestFrom(
  localAddress: string,
  url: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<Reply> {
  return request(url, { localAddress, headers: { ...headers, connection: 'close' } });
}
