import { Agent, type IncomingHttpHeaders, request } from 'node:http';

export interface Reply {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

/** The connection broke before the answer was there: what was asked may have been done or not. */
export class NoAnswer extends Error {}

/** Longer than the service lets anything wait. */
const patienceMs = 20_000;

/**
 * A caller at one process over connections that stay open. It is quicker than the one of the other tests, because it
 * does not hold each answer against the description of the service.
 */
export class Caller {
  readonly #origin: string;
  readonly #token: string;
  readonly #agent: Agent;

  constructor(origin: string, token: string, agent: Agent) {
    this.#origin = origin;
    this.#token = token;
    this.#agent = agent;
  }

  send(
    method: string,
    path: string,
    body?: object,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Reply> {
    const { promise, resolve, reject } = Promise.withResolvers<Reply>();
    const text = body === undefined ? undefined : JSON.stringify(body);
    const asked = request(
      `${this.#origin}/api/consumer/v1${path}`,
      {
        method,
        agent: this.#agent,
        timeout: patienceMs,
        headers: {
          authorization: `Bearer ${this.#token}`,
          ...(text === undefined ? {} : { 'content-type': 'application/json' }),
          ...headers,
        },
      },
      async (response) => {
        let received = '';
        response.setEncoding('utf8');
        try {
          for await (const chunk of response) received += chunk;
          resolve({ status: Number(response.statusCode), headers: response.headers, text: received });
        } catch (error) {
          reject(new NoAnswer(String(error)));
        }
      },
    );
    asked.on('timeout', () => asked.destroy(new Error(`not a word for ${patienceMs / 1000} s`)));
    asked.on('error', (error) => reject(new NoAnswer(error.message)));
    asked.end(text);
    return promise;
  }
}

export function newAgent(): Agent {
  return new Agent({ keepAlive: true, maxSockets: Number.POSITIVE_INFINITY });
}
