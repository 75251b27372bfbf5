import { randomUUID } from 'node:crypto';
import type { Agent } from 'node:http';
import type { TestProvider } from '../support/tokens/provider.ts';
import { Caller } from './caller.ts';
import type { Checker } from './checker.ts';
import { CounterJournal, Journal, type Leaving } from './journal.ts';
import { Leaver } from './leaver.ts';
import type { LogFollower } from './log-follower.ts';
import { OwnWriter } from './own-writer.ts';
import { type Given, Machine, Rival } from './rivals.ts';
import type { ServiceProcesses } from './service-processes.ts';
import { type Round, Station } from './work.ts';

export interface PopulationParts {
  readonly processes: ServiceProcesses;
  readonly provider: TestProvider;
  /** The token of a machine client. */
  readonly machineToken: string;
  readonly agent: Agent;
}

const owners = 5;
const countersEach = 2;
const ownWritersEach = 3;
const rivalsEach = 2;
const machinesEach = 2;
/** Past the end of the longest run. */
const tokenSeconds = 6 * 3600;

/** Some owners with their journals, and all who write for them. New ones take over now and then, so that no list gets long. */
export class Population {
  readonly #parts: PopulationParts;
  readonly #tokens = new Map<string, string>();
  readonly #journals: Journal[] = [];
  readonly #given: Given[] = [];
  #leavings: Leaving[] = [];

  private constructor(parts: PopulationParts) {
    this.#parts = parts;
  }

  static async make(parts: PopulationParts): Promise<Population> {
    const population = new Population(parts);
    for (let count = 0; count < owners; count += 1) await population.#addOwner(`owner ${randomUUID()}`);
    return population;
  }

  /** Everybody writes, at every process, until the round is over. */
  async run(round: Round): Promise<void> {
    const writers: { run(): Promise<void> }[] = [];
    for (let process = 0; process < this.#parts.processes.count; process += 1) {
      const machine = new Station(this.#caller(this.#parts.machineToken, process), process, round);
      for (let count = 0; count < machinesEach; count += 1)
        writers.push(new Machine(machine, this.#journals, this.#given));
      for (const journal of this.#journals) {
        const station = await this.#station(journal.subject, process, round);
        for (let count = 0; count < ownWritersEach; count += 1)
          writers.push(new OwnWriter(station, journal, this.#given));
        for (let count = 0; count < rivalsEach; count += 1) writers.push(new Rival(station, journal));
      }
      writers.push(new Leaver(round, (subject) => this.#station(subject, process, round), this.#leavings));
    }
    await Promise.all(writers.map((writer) => writer.run()));
  }

  /** Each at one process or another: they all have the same database. */
  async check(checker: Checker, follower: LogFollower): Promise<void> {
    const { count } = this.#parts.processes;
    for (const [index, journal] of this.#journals.entries())
      await checker.check(journal, this.#caller(await this.#token(journal.subject), index % count));
    for (const [index, leaving] of this.#leavings.entries())
      await checker.checkLeaving(leaving, this.#caller(await this.#token(leaving.subject), index % count));
    this.#leavings = [];
    await follower.catchUp();
    for (const journal of this.#journals) follower.compare(journal);
  }

  async #addOwner(subject: string): Promise<void> {
    const journal = new Journal(subject);
    const caller = this.#caller(await this.#token(subject), 0);
    for (let count = 0; count < countersEach; count += 1) {
      const { status, text } = await caller.send('POST', '/notes', { label: `counter ${count}`, step: 0 });
      if (status !== 201) throw new Error(`A counter could not be made: ${status} ${text}`);
      journal.counters.set(JSON.parse(text).id, new CounterJournal());
      journal.charged += 1;
    }
    this.#journals.push(journal);
  }

  async #station(subject: string, process: number, round: Round): Promise<Station> {
    return new Station(this.#caller(await this.#token(subject), process), process, round);
  }

  #caller(token: string, process: number): Caller {
    return new Caller(this.#parts.processes.origin(process), token, this.#parts.agent);
  }

  async #token(subject: string): Promise<string> {
    const known = this.#tokens.get(subject);
    if (known !== undefined) return known;
    const exp = Math.floor(Date.now() / 1000) + tokenSeconds;
    const token = await this.#parts.provider.token({ sub: subject, exp });
    this.#tokens.set(subject, token);
    return token;
  }
}
