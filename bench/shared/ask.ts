import { type IncomingHttpHeaders, request } from 'node:http';

export interface Reply {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** One question; with a body it is a POST. On a connection of its own, so that none is left open into a measurement. */
export function ask(
  url: string,
  headers: Readonly<Record<string, string>> = {},
  body?: string,
): Promise<Reply> {
  const { promise, resolve, reject } = Promise.withResolvers<Reply>();
  const method = body === undefined ? 'GET' : 'POST';
  const asked = request(url, { agent: false, method, headers, timeout: 5_000 }, (response) => {
    let text = '';
    response.setEncoding('utf8');
    response.on('data', (chunk) => {
      text += chunk;
    });
    response.on('error', reject);
    response.on('end', () =>
      resolve({ status: response.statusCode ?? 0, headers: response.headers, body: text }),
    );
  });
  asked.on('timeout', () => asked.destroy(new Error(`No answer from ${url}.`)));
  asked.on('error', reject);
  asked.end(body);
  return promise;
}

/** The headers of a reply, without those that are the server's own to say. */
export function ownHeaders({ headers }: Reply): Readonly<Record<string, string>> {
  const { date: _date, connection: _connection, 'keep-alive': _keepAlive, ...own } = headers;
  return own as Record<string, string>;
}

export function bearer(token: string | undefined): Readonly<Record<string, string>> {
  return token === undefined ? {} : { authorization: `Bearer ${token}` };
}
