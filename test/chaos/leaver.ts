import { randomUUID } from 'node:crypto';
import type { Leaving } from './journal.ts';
import { type Round, type Station, untilOver } from './work.ts';

const recordsEach = 3;

/** New callers, one after the other, each of whom creates a few records and then erases everything. */
export class Leaver {
  readonly #round: Round;
  readonly #enter: (subject: string) => Promise<Station>;
  readonly #leavings: Leaving[];

  constructor(round: Round, enter: (subject: string) => Promise<Station>, leavings: Leaving[]) {
    this.#round = round;
    this.#enter = enter;
    this.#leavings = leavings;
  }

  run(): Promise<void> {
    return untilOver(this.#round, () => this.#comeAndGo(`leaver ${randomUUID()}`));
  }

  async #comeAndGo(subject: string): Promise<boolean> {
    const station = await this.#enter(subject);
    const { tally } = this.#round;
    const leaving: Leaving = { subject, made: 0, erasure: 'not asked' };
    this.#leavings.push(leaving);
    for (let count = 0; count < recordsEach; count += 1) {
      const reply = await station.ask([201], 'POST', '/notes', { label: randomUUID(), step: 0 });
      if (reply?.status !== 201) return false;
      leaving.made += 1;
      tally.acknowledged += 1;
    }
    leaving.erasure = 'unanswered';
    const reply = await station.ask([200], 'DELETE', '/me');
    if (reply?.status !== 200) return false;
    leaving.erasure = 'done';
    tally.erased += 1;
    return true;
  }
}
