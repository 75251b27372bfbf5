import { setTimeout as pause } from 'node:timers/promises';
import { Caller, NoAnswer, newAgent, type Reply } from '../support/load/caller.ts';
import type { PseudoRandom } from '../support/run/pseudo-random.ts';
import type { CollectionName } from './declarations.ts';
import type { Journal, Write } from './journal.ts';
import type { Tally } from './tally.ts';

/** A stretch of load: from a start to the next kill, or the whole run. */
export class Round {
  readonly random: PseudoRandom;
  readonly tally: Tally;
  readonly journal: Journal;
  /** Callers finish their current request and begin nothing more. */
  isOver = false;
  /** Processes that are killed, by number: no answer from there is no surprise. */
  readonly killed = new Set<number>();
  /** The database is killed: "not now" is no surprise from anybody, and leaves open whether it was done. */
  isDatabaseKilled = false;
  /** Null: as many as the service takes. */
  readonly #perSecond: number | null;
  #nextAt = performance.now();

  constructor(random: PseudoRandom, tally: Tally, journal: Journal, perSecond: number | null = null) {
    this.random = random;
    this.tally = tally;
    this.journal = journal;
    this.#perSecond = perSecond;
  }

  /** The provider changes its keys and goes away now and then: a token that was good may be refused. */
  get hasUnsteadyProvider(): boolean {
    return this.#perSecond !== null;
  }

  /** Waits until the next request is due. */
  async turn(): Promise<void> {
    if (this.#perSecond === null) return;
    const now = performance.now();
    this.#nextAt = Math.max(this.#nextAt + 1_000 / this.#perSecond, now);
    await pause(this.#nextAt - now);
  }

  /** Repeats a task until the round is over or the service does not answer any more: then it returns false. */
  async repeat(work: () => Promise<boolean>): Promise<void> {
    while (!this.isOver) if (!(await work())) return;
  }
}

type Target = { readonly number: number; readonly origin: string };

export const agent = newAgent();

type Body = object | undefined;
type RequestHeaders = Readonly<Record<string, string>>;

export class Station {
  readonly subject: string;
  readonly round: Round;
  readonly #target: Target;
  readonly #token: (isRefused: boolean) => Promise<string>;

  constructor(subject: string, token: (isRefused: boolean) => Promise<string>, target: Target, round: Round) {
    this.subject = subject;
    this.#token = token;
    this.#target = target;
    this.round = round;
  }

  /** A write whose outcome the journal notes. */
  async write(
    collection: CollectionName,
    name: string,
    ...request: [expected: readonly number[], method: string, path: string, Body?, RequestHeaders?]
  ): Promise<Reply | null> {
    const reply = await this.ask(...request);
    this.round.journal.note([this.named(collection, name)], reply);
    return reply;
  }

  named(collection: CollectionName, name: string): Write {
    return { subject: this.subject, collection, name };
  }

  /**
   * The answer, counted; null when there is none. Any status that is not among those expected is a finding, but for the
   * refusal of a process that has no time for more, which says that nothing was begun: it is held to that.
   */
  async ask(
    expected: readonly number[],
    method: string,
    path: string,
    body?: Body,
    headers?: RequestHeaders,
  ): Promise<Reply | null> {
    await this.round.turn();
    const { tally, killed, hasUnsteadyProvider } = this.round;
    const name = `${method} ${path.replaceAll(/\/[\w-]{20,}/g, '/{id}').replace(/\?.*/, '')}`;
    try {
      const caller = new Caller(this.#target.origin, await this.#token(false), agent);
      const reply = await caller.send(method, path, body, headers);
      tally.count(`${name} ${reply.status}`);
      if (reply.status === 503 && this.round.isDatabaseKilled) return null;
      if (isOverloaded(reply)) tally.overloaded += 1;
      else if (hasUnsteadyProvider && reply.status === 403 && reply.text.includes('"token_'))
        await this.#token(true);
      else if (!expected.includes(reply.status))
        tally.find('answer', `${name} of ${this.subject}: ${reply.status} ${reply.text}`);
      return reply;
    } catch (error) {
      if (!(error instanceof NoAnswer)) throw error;
      tally.count(`${name} without an answer`);
      if (!killed.has(this.#target.number)) tally.find('answer', `${name}: ${error.message}`);
      return null;
    }
  }
}

function isOverloaded({ status, text }: Reply): boolean {
  return status === 503 && JSON.parse(text).code === 'overloaded';
}
