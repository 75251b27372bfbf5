import type { Station } from './work.ts';

/**
 * A machine client, which may change everybody's records: its batches touch many owners at once. It moves shared notes to
 * and fro between their states, and deletes what was left to it.
 */
export class Machine {
  readonly #station: Station;
  readonly #shared: readonly string[];
  readonly #given: string[];

  constructor(station: Station, shared: readonly string[], given: string[]) {
    this.#station = station;
    this.#shared = shared;
    this.#given = given;
  }

  run(): Promise<void> {
    return this.#station.round.repeat(() => {
      const next = this.#given.shift();
      return next === undefined ? this.#act() : this.#remove(next);
    });
  }

  async #act(): Promise<boolean> {
    const { random } = this.#station.round;
    const id = random.pick(this.#shared);
    const [action, state] = random.pick([
      ['close', 'closed'],
      ['reopen', 'open'],
    ]);
    const path = `/notes/${id}/${action}`;
    return (await this.#station.write('notes', `${id} notes.${state}`, [200, 409], 'POST', path)) !== null;
  }

  async #remove(id: string): Promise<boolean> {
    const reply = await this.#station.write('notes', `${id} notes.deleted`, [204], 'DELETE', `/notes/${id}`);
    return reply !== null;
  }
}
