import { request } from 'node:http';
import { documentedReply } from '../support/http/openapi.ts';
import type { Reply } from '../support/http/request.ts';
import type { TokenPost } from '../support/tokens/oauth-form.ts';

/** A POST from a local address; all of 127.0.0.0/8 is local. */
export function postFrom(localAddress: string, url: string, { headers, body }: TokenPost): Promise<Reply> {
  const { promise, resolve, reject } = Promise.withResolvers<Reply>();
  const options = { method: 'POST', localAddress, headers, agent: false } as const;
  request(url, options, async (response) => {
    let text = '';
    for await (const chunk of response) text += chunk;
    const entries = Object.entries(response.headers).map(([name, value]): [string, string] => [
      name,
      String(value),
    ]);
    const reply: Reply = {
      status: Number(response.statusCode),
      headers: new Headers(entries),
      text,
      json: () => JSON.parse(text),
    };
    resolve(documentedReply(url, 'POST', reply));
  })
    .on('error', reject)
    .end(body);
  return promise;
}
