import type { CounterJournal, Journal } from './journal.ts';
import { type Station, untilOver } from './work.ts';

/** A record that a caller who does not own it tries to delete. */
export interface Given {
  readonly id: string;
  readonly journal: Journal;
}

/** One of many who count up the same few records of one owner, at all processes at once. Each step is for one of them. */
export class Rival {
  readonly #station: Station;
  readonly #journal: Journal;

  constructor(station: Station, journal: Journal) {
    this.#station = station;
    this.#journal = journal;
  }

  run(): Promise<void> {
    return untilOver(this.#station.round, () => {
      const [id, counter] = this.#station.round.random.pick([...this.#journal.counters]);
      return this.#countUp(id, counter);
    });
  }

  async #countUp(id: string, counter: CounterJournal): Promise<boolean> {
    const { tally } = this.#station.round;
    const found = await this.#station.ask([200], 'GET', `/notes/${id}`);
    if (found?.status !== 200) return false;
    const step = Number(JSON.parse(found.text).step) + 1;
    const headers = { 'if-match': String(found.headers.etag) };
    const reply = await this.#station.ask([200, 412], 'PATCH', `/notes/${id}`, { step }, headers);
    if (reply === null) {
      counter.unanswered.add(step);
      tally.unanswered += 1;
      return false;
    }
    if (reply.status !== 200) return true;
    if (counter.acknowledged.has(step)) tally.find('doubled', `step ${step} of ${id} was acknowledged twice`);
    counter.acknowledged.add(step);
    tally.acknowledged += 1;
    return true;
  }
}

/**
 * A machine client, which may change everybody's records: its batches touch many owners at once. It moves the counters
 * to and fro between their states, and deletes what was left to it.
 */
export class Machine {
  readonly #station: Station;
  readonly #journals: readonly Journal[];
  readonly #given: Given[];

  constructor(station: Station, journals: readonly Journal[], given: Given[]) {
    this.#station = station;
    this.#journals = journals;
    this.#given = given;
  }

  run(): Promise<void> {
    return untilOver(this.#station.round, () => {
      const next = this.#given.shift();
      return next === undefined ? this.#act() : this.#remove(next);
    });
  }

  async #act(): Promise<boolean> {
    const { random, tally } = this.#station.round;
    const id = random.pick([...random.pick(this.#journals).counters.keys()]);
    const action = random.pick(['close', 'reopen']);
    const reply = await this.#station.ask([200, 409], 'POST', `/notes/${id}/${action}`);
    if (reply?.status === 200) tally.acknowledged += 1;
    return reply !== null;
  }

  async #remove({ id, journal }: Given): Promise<boolean> {
    const { tally } = this.#station.round;
    const versions = journal.records.get(id) ?? [];
    journal.records.set(id, [...versions, null]);
    const reply = await this.#station.ask([204], 'DELETE', `/notes/${id}`);
    if (reply === null) {
      tally.unanswered += 1;
      return false;
    }
    const isDone = reply.status === 204;
    journal.records.set(id, isDone ? [null] : versions);
    if (isDone) tally.acknowledged += 1;
    return true;
  }
}
