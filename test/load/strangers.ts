import { mutate } from '../support/faults/mutations.ts';
import { exchange, head } from '../support/http/raw-http.ts';
import { Caller } from '../support/load/caller.ts';
import { compact, rs256 } from '../support/tokens/forged-token.ts';
import { makeKey, type TestProvider } from '../support/tokens/provider.ts';
import { type Credentials, credentialsBody, postToken } from '../support/tokens/token-endpoint.ts';
import { agent, type Round } from './work.ts';

const people = 100;

/** People who only look, and callers who should not have called: one request after the other, by chance. */
export class Strangers {
  readonly #origin: string;
  readonly #provider: TestProvider;
  readonly #client: Credentials;
  readonly #round: Round;
  readonly #key = makeKey();

  constructor(origin: string, provider: TestProvider, client: Credentials, round: Round) {
    this.#origin = origin;
    this.#provider = provider;
    this.#client = client;
    this.#round = round;
  }

  run(): Promise<void> {
    const requests = [
      () => this.#send('GET /me', 'GET', '/me'),
      () => this.#token('POST /token', this.#client.secret),
      () => this.#token('POST /token', 'wrong'),
      () => this.#stream(),
      () => this.#forged(),
      () => this.#send('a wrong body', 'POST', '/notes', { text: 5, more: {} }),
      () => this.#send('nowhere', 'GET', '/nowhere'),
      () => this.#brokenBytes(),
    ];
    return this.#round.repeat(async () => {
      await this.#round.turn();
      await this.#round.random
        .pick(requests)()
        .catch((error: Error) => this.#count('no answer', error.name));
      return true;
    });
  }

  async #send(what: string, method: string, path: string, body?: object): Promise<void> {
    const reply = await new Caller(this.#origin, await this.#anyToken(), agent).send(method, path, body);
    this.#count(what, reply.status);
  }

  async #token(what: string, secret: string): Promise<void> {
    const { status } = await postToken(this.#origin, credentialsBody({ ...this.#client, secret }));
    this.#count(what, status);
  }

  /** A stream of events that is read for a moment. */
  async #stream(): Promise<void> {
    const bearer = `authorization: Bearer ${await this.#anyToken()}`;
    const request = head('GET', '/api/consumer/v1/events', bearer, 'accept: text/event-stream');
    const answer = await exchange(this.#origin, request, 'when answered');
    this.#count('GET /events as a stream', answer.slice(9, 12));
  }

  async #forged(): Promise<void> {
    const { privateKey } = await this.#key;
    const { kid } = this.#provider.key;
    const token = compact({ alg: 'RS256', kid }, this.#provider.claims(), rs256(privateKey));
    const { status } = await new Caller(this.#origin, token, agent).send('GET', '/me');
    this.#count('a forged token', status);
  }

  async #brokenBytes(): Promise<void> {
    const bearer = `authorization: Bearer ${await this.#anyToken()}`;
    const whole = Buffer.from(head('GET', '/api/consumer/v1/me', bearer));
    const answer = await exchange(this.#origin, mutate(whole, this.#round.random), 'at once');
    this.#count('broken bytes', answer.slice(9, 12));
  }

  #anyToken(): Promise<string> {
    return this.#provider.token({ sub: `stranger ${this.#round.random.below(people)}` });
  }

  #count(what: string, answer: string | number): void {
    this.#round.tally.count(`${what} ${answer}`);
    if (Number(answer) >= 500) this.#round.tally.find('answer', `${what}: ${answer}`);
  }
}
