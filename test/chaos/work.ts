import type { PseudoRandom } from '../support/run/pseudo-random.ts';
import { type Caller, NoAnswer, type Reply } from './caller.ts';
import type { Tally } from './journal.ts';

/** The collections that are written to. Everybody sees only its own, but for machine clients. */
export const declarations = {
  notes: `
schema:
  required: [label, step]
  properties: { label: { type: string, maxLength: 100 }, step: { type: integer, minimum: 0 } }
states:
  open: { close: { to: closed, by: any } }
  closed: { reopen: { to: open, by: any } }
editable: [open, closed]
access: { clients: any }
events: full
limits: { per_user: 1000000, writes: 1000000/day }
`,
};

export const nextAction: Readonly<Record<string, string>> = { open: 'close', closed: 'reopen' };
export const otherState: Readonly<Record<string, string>> = { open: 'closed', closed: 'open' };

/** One stretch of load, from a start to the next kill. */
export class Round {
  readonly random: PseudoRandom;
  readonly tally: Tally;
  /** Callers finish their current request and begin nothing more. */
  isOver = false;
  /** Processes that are killed, by number: no answer from there is no surprise. */
  readonly killed = new Set<number>();
  /** The database is killed: "not now" is no surprise from anybody, and leaves open whether it was done. */
  isDatabaseKilled = false;

  constructor(random: PseudoRandom, tally: Tally) {
    this.random = random;
    this.tally = tally;
  }
}

/** A caller at one of the processes during one round. */
export class Station {
  readonly caller: Caller;
  readonly round: Round;
  readonly #process: number;

  constructor(caller: Caller, process: number, round: Round) {
    this.caller = caller;
    this.#process = process;
    this.round = round;
  }

  /**
   * The answer, counted; null when there is none. Any status that is not among those expected is a finding, but for the
   * refusal of a process that has no time for more, which says that nothing was begun: it is held to that.
   */
  async ask(
    expected: readonly number[],
    method: string,
    path: string,
    body?: object,
    headers?: Readonly<Record<string, string>>,
  ): Promise<Reply | null> {
    const { tally, killed } = this.round;
    const name = `${method} ${path.replace(/\/[\w-]{20,}/, '/{id}').replace(/\?.*/, '')}`;
    try {
      const reply = await this.caller.send(method, path, body, headers);
      tally.count(name, reply.status);
      if (reply.status === 503 && this.round.isDatabaseKilled) return null;
      if (isOverloaded(reply)) tally.overloaded += 1;
      else if (!expected.includes(reply.status))
        tally.find('answer', `${name}: ${reply.status} ${reply.text}`);
      return reply;
    } catch (error) {
      if (!(error instanceof NoAnswer)) throw error;
      tally.count(name, 0);
      if (!killed.has(this.#process)) tally.find('answer', `${name}: ${error.message}`);
      return null;
    }
  }
}

export function isOverloaded({ status, text }: Reply): boolean {
  return status === 503 && JSON.parse(text).code === 'overloaded';
}

/** Repeats a task until the round is over or the service does not answer any more: then it returns false. */
export async function untilOver(round: Round, work: () => Promise<boolean>): Promise<void> {
  while (!round.isOver) if (!(await work())) return;
}
