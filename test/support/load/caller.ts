import { Agent } from 'node:http';
import { send, type Reply as TestReply } from '../http/request.ts';

export type Reply = Omit<TestReply, 'json'>;

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

  async send(method: string, path: string, body?: object, more: Readonly<Record<string, string>> = {}) {
    const type = body && { 'content-type': 'application/json' };
    const headers = { authorization: `Bearer ${this.#token}`, ...type, ...more };
    const [agent, signal] = [this.#agent, AbortSignal.timeout(patienceMs)];
    const init = { method, headers, agent, signal, ...(body && { body: JSON.stringify(body) }) };
    return send(`${this.#origin}/api/consumer/v1${path}`, init).catch((error) => {
      throw new NoAnswer(String(error));
    });
  }
}

export function newAgent(): Agent {
  return new Agent({ keepAlive: true, maxSockets: Number.POSITIVE_INFINITY });
}
