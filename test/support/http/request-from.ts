import { request } from 'node:http';
import { documentedReply } from './openapi.ts';
import type { Reply } from './request.ts';

/** A request from an address of this machine: all of 127.0.0.0/8 is. */
export function requestFrom(
  localAddress: string,
  url: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<Reply> {
  const { promise, resolve, reject } = Promise.withResolvers<Reply>();
  request(url, { localAddress, headers, agent: false }, async (response) => {
    let text = '';
    for await (const chunk of response) text += chunk;
    const entries = Object.entries(response.headers).map(([name, value]) => [name, String(value)] as const);
    const reply: Reply = {
      status: Number(response.statusCode),
      headers: new Headers(entries.map(([name, value]) => [name, value])),
      text,
      json: () => JSON.parse(text),
    };
    resolve(documentedReply(url, 'GET', reply));
  })
    .on('error', reject)
    .end();
  return promise;
}
