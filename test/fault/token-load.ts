import { randomUUID } from 'node:crypto';
import { decodeJwt, SignJWT } from 'jose';
import type { SigningKey } from '../../src/tokens/signing-key.ts';
import { type Reply, withToken } from '../support/http/request.ts';
import { until } from '../support/run/polling.ts';
import type { Deployment } from '../support/services/deployment.ts';
import { me } from '../support/services/service.ts';
import { type Credentials, credentialsBody, postToken } from '../support/tokens/token-endpoint.ts';

const callers = 4;
/** Tokens closer to their expiry are not sent, because a response takes time. */
const endMarginMs = 10_000;
/** Less than the clock tolerance of five seconds, because the processes are moved one after the other. */
const stepMs = 4_000;

interface LiveToken {
  readonly token: string;
  readonly endsAt: number;
}

/**
 * Callers that, without a pause, get a token from one process after the other and present it, and the oldest that is
 * still alive, to all of them. All of that should be served; what is not is written down.
 */
export class TokenLoad {
  /** The credentials of the callers, in turns. */
  credentials: readonly Credentials[];
  readonly refused: string[] = [];
  /** How many rounds each caller has made. */
  readonly rounds: number[] = Array.from({ length: callers }, () => 0);
  readonly #processes: Deployment;
  #running: Promise<unknown>;
  #live: LiveToken[] = [];
  #isStopping = false;

  constructor(processes: Deployment, credentials: readonly Credentials[]) {
    this.#processes = processes;
    this.credentials = credentials;
    this.#running = this.#callAll();
  }

  async stop(): Promise<void> {
    this.#isStopping = true;
    await this.#running;
  }

  /** Settles once every caller has made a whole round that began after now. */
  async goRound(): Promise<void> {
    const before = [...this.rounds];
    await until(
      () => this.rounds,
      (rounds) => rounds.every((count, caller) => count >= Number(before[caller]) + 2),
      'the load does not go on',
    );
  }

  /** Time passes for all processes, in small steps, and everybody goes round after each. */
  async advanceTo(time: number): Promise<void> {
    while (this.#processes.now() < time) {
      await this.#processes.moveTo(Math.min(time, this.#processes.now() + stepMs));
      await this.goRound();
    }
  }

  /** Advances the clock while there are no requests. */
  async skipTo(time: number): Promise<void> {
    this.#isStopping = true;
    await this.#running;
    await this.#processes.moveTo(time);
    this.#isStopping = false;
    this.#running = this.#callAll();
    await this.goRound();
  }

  #callAll(): Promise<unknown> {
    return Promise.all(this.rounds.map((_, caller) => this.#call(caller)));
  }

  async #call(caller: number): Promise<void> {
    const { services } = this.#processes;
    for (let turn = caller; !this.#isStopping; turn += 1) {
      const { url } = services[turn % services.length] as { url: string };
      const secretTurn = Math.floor(turn / services.length) % this.credentials.length;
      await this.#getToken(url, this.credentials[secretTurn] as Credentials);
      this.#live = this.#live.filter(({ endsAt }) => endsAt > this.#processes.now() + endMarginMs);
      const shown = new Set([this.#live.at(0)?.token, this.#live.at(-1)?.token]);
      for (const token of shown) {
        if (token === undefined) continue;
        for (const service of services)
          await this.#expectServed('GET /me', withToken(service.url + me, token));
      }
      this.rounds[caller] = Number(this.rounds[caller]) + 1;
    }
  }

  async #getToken(url: string, credentials: Credentials): Promise<void> {
    const reply = await this.#expectServed('POST /token', postToken(url, credentialsBody(credentials)));
    if (reply?.status !== 200) return;
    const { token } = reply.json<{ token: string }>();
    this.#live.push({ token, endsAt: Number(decodeJwt(token).exp) * 1000 });
  }

  async #expectServed(what: string, asked: Promise<Reply>): Promise<Reply | null> {
    const reply = await asked.catch(() => null);
    if (reply?.status !== 200) this.refused.push(`${what}: ${reply?.status ?? 'no answer'} ${reply?.text}`);
    return reply;
  }
}

const yearSeconds = 365 * 86_400;

/** A token like this one with a lifetime of a year, as the thief of a key can make it. A new one each time. */
export function livingForAYear(token: string, key: SigningKey): Promise<string> {
  const { exp, jti, ...claims } = decodeJwt(token);
  const signer = new SignJWT({
    ...claims,
    exp: Number(exp) + yearSeconds,
    jti: `${String(jti).split('.', 1)[0]}.${randomUUID()}`,
  });
  const header = { alg: key.algorithm, typ: 'at+jwt', kid: key.kid };
  return signer.setProtectedHeader(header).sign(key.privateKey);
}
