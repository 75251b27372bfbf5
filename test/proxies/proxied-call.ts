import { request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { canaryHeaders } from '../support/faults/canaries.ts';
import type { Reply } from '../support/http/request.ts';

interface Call {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** The caller's own address: all of 127.0.0.0/8 is this machine. */
  readonly from?: string;
  /** The trusted certificate authority. */
  readonly certificate: string;
}

/** A request over a connection of its own, over HTTPS or not as its address says; the answer as it comes in. */
export function open(url: string, call: Call): Promise<IncomingMessage> {
  const { method = 'GET', headers = {}, body, from = '127.0.0.9', certificate } = call;
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const options = {
    method,
    headers: { ...canaryHeaders, ...headers },
    localAddress: from,
    agent: false,
  } as const;
  const sent = url.startsWith('https:')
    ? httpsRequest(url, { ...options, ca: certificate }, resolve)
    : httpRequest(url, options, resolve);
  sent.on('error', reject).end(body);
  return promise;
}

/** The same, with the whole answer. */
export async function call(url: string, how: Call): Promise<Reply> {
  const response = await open(url, how);
  let text = '';
  for await (const chunk of response.setEncoding('utf8')) text += chunk;
  const headers = new Headers();
  for (const [name, values] of Object.entries(response.headersDistinct)) {
    for (const value of values ?? []) headers.append(name, value);
  }
  return { status: Number(response.statusCode), headers, text, json: () => JSON.parse(text) };
}
