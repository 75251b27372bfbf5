import { setTimeout as pause } from 'node:timers/promises';
import { Caller, newAgent, type Reply } from '../chaos/caller.ts';
import { mutate } from '../support/faults/mutations.ts';
import { exchange, head } from '../support/http/raw-http.ts';
import { PseudoRandom } from '../support/run/pseudo-random.ts';
import { compact, rs256 } from '../support/tokens/forged-token.ts';
import { makeKey, type ProviderKey, type TestProvider } from '../support/tokens/provider.ts';
import { type Credentials, credentialsBody } from '../support/tokens/token-endpoint.ts';

const callers = 200;
const notesEach = 20;
/** A token is used for so many requests, so that most are known and some are new. */
const usesOfToken = 30;

interface Person {
  readonly sub: string;
  token: string;
  uses: number;
  readonly notes: string[];
}

/** Everybody who calls a service in a day, and who should not have: one request after the other, by chance. */
export class Load {
  readonly answers = new Map<string, number>();
  readonly #origin: string;
  readonly #provider: TestProvider;
  readonly #client: Credentials;
  readonly #random: PseudoRandom;
  readonly #agent = newAgent();
  readonly #people: Person[];
  #stranger: Promise<ProviderKey> | null = null;
  #isOver = false;

  constructor(origin: string, provider: TestProvider, client: Credentials, seed: number) {
    this.#origin = origin;
    this.#provider = provider;
    this.#client = client;
    this.#random = new PseudoRandom(seed);
    this.#people = Array.from({ length: callers }, (_, index) => ({
      sub: `somebody ${index}`,
      token: '',
      uses: 0,
      notes: [],
    }));
  }

  /** So many requests a second, over a few connections, until it is stopped. */
  async run(perSecond: number, width = 8): Promise<void> {
    await Promise.all(
      Array.from({ length: width }, async () => {
        while (!this.#isOver) {
          const from = performance.now();
          await this.#one().catch((error: Error) => this.#count(`no answer (${error.name})`));
          const left = (1_000 * width) / perSecond - (performance.now() - from);
          if (left > 0) await pause(left);
        }
      }),
    );
    this.#agent.destroy();
  }

  stop(): void {
    this.#isOver = true;
  }

  async #one(): Promise<void> {
    const dice = this.#random.below(100);
    if (dice < 35) return this.#tell('GET /me', await (await this.#somebody()).send('GET', '/me'));
    if (dice < 60) return this.#write();
    if (dice < 75)
      return this.#tell('GET /notes', await (await this.#somebody()).send('GET', '/notes?limit=10'));
    if (dice < 82) return this.#token(this.#client.secret);
    if (dice < 84) return this.#stream();
    return this.#bad(dice);
  }

  async #write(): Promise<void> {
    const person = this.#random.pick(this.#people);
    const caller = await this.#callerFor(person);
    const [first] = person.notes;
    if (person.notes.length < notesEach || first === undefined) {
      const reply = await caller.send('POST', '/notes', { text: 'a note of an ordinary length' });
      if (reply.status === 201) person.notes.push(JSON.parse(reply.text).id);
      return this.#tell('POST /notes', reply);
    }
    if (this.#random.below(2) === 0)
      return this.#tell('PATCH /notes', await caller.send('PATCH', `/notes/${first}`, { text: 'another' }));
    person.notes.shift();
    return this.#tell('DELETE /notes', await caller.send('DELETE', `/notes/${first}`));
  }

  /** A stream of events that is read for a moment. */
  async #stream(): Promise<void> {
    const { token } = this.#random.pick(this.#people);
    const request = head(
      'GET',
      '/api/consumer/v1/events',
      `authorization: Bearer ${token}`,
      'accept: text/event-stream',
    );
    this.#count(`GET /events ${(await exchange(this.#origin, request, 'when answered')).slice(9, 12)}`);
  }

  /** Invalid requests. */
  async #bad(dice: number): Promise<void> {
    const { key } = this.#provider;
    if (dice < 87) {
      this.#stranger ??= makeKey(key.kid);
      const { privateKey } = await this.#stranger;
      const forged = compact({ alg: 'RS256', kid: key.kid }, this.#provider.claims(), rs256(privateKey));
      return this.#tell(
        'a forged token',
        await new Caller(this.#origin, forged, this.#agent).send('GET', '/me'),
      );
    }
    if (dice < 90) return this.#token('wrong');
    if (dice < 93) {
      const caller = await this.#somebody();
      return this.#tell('a wrong body', await caller.send('POST', '/notes', { text: 5, more: {} }));
    }
    if (dice < 96) return this.#tell('nowhere', await (await this.#somebody()).send('GET', '/nowhere'));
    const { token } = this.#random.pick(this.#people);
    const whole = Buffer.from(head('GET', '/api/consumer/v1/me', `authorization: Bearer ${token}`));
    const answer = await exchange(this.#origin, mutate(whole, this.#random), 'at once');
    this.#count(`broken bytes ${answer.slice(9, 12)}`);
  }

  async #token(secret: string): Promise<void> {
    const body = credentialsBody({ ...this.#client, secret });
    const headers = { 'content-type': 'application/json' };
    const { status } = await fetch(`${this.#origin}/token`, { method: 'POST', headers, body });
    this.#count(`POST /token ${status}`);
  }

  #somebody(): Promise<Caller> {
    return this.#callerFor(this.#random.pick(this.#people));
  }

  async #callerFor(person: Person): Promise<Caller> {
    person.uses += 1;
    if (person.token === '' || person.uses > usesOfToken) {
      person.token = await this.#provider.token({ sub: person.sub });
      person.uses = 0;
    }
    return new Caller(this.#origin, person.token, this.#agent);
  }

  #tell(what: string, { status }: Reply): void {
    // The provider has changed its keys: a token by an old one is good no more.
    if (status === 403) for (const person of this.#people) person.uses += 1;
    this.#count(`${what} ${status}`);
  }

  #count(what: string): void {
    this.answers.set(what, (this.answers.get(what) ?? 0) + 1);
  }
}
