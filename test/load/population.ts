import { randomUUID } from 'node:crypto';
import type { Checker } from './checker.ts';
import { type Circle, countUp, Member } from './member.ts';
import { NoteWriter } from './note-writer.ts';
import { comeAndGo, type Leaving, runMachine } from './other-callers.ts';
import { type Round, Station } from './work.ts';
import type { World } from './world.ts';

type PopulationParts = Pick<World, 'processes' | 'provider' | 'log'> & { readonly machineToken: string };

type OwnCircle = Readonly<Record<'id' | 'subject', string>>;

export const machineClient = 'machine';
/** Few, so that many people want the same places. */
const circles = 2;
const writersEach = 3;
const rivalsEach = 2;
const machinesEach = 2;
/** A token is used for so many requests, so that most are known to the service and some are new. */
const usesOfToken = 30;

/** Some people, a machine client, and all that they do. New people take over now and then, so that no list gets long. */
export class Population {
  readonly #parts: PopulationParts;
  readonly #people: string[] = [];
  readonly #circles: OwnCircle[] = [];
  /** Notes that machine clients move to and fro, and those that they delete. */
  readonly #shared: string[] = [];
  readonly #given: string[] = [];
  readonly #tokens = new Map<string, { readonly token: Promise<string>; uses: number }>();
  #leavings: Leaving[] = [];

  private constructor(parts: PopulationParts) {
    this.#parts = parts;
  }

  static async make(parts: PopulationParts, size: number, round: Round): Promise<Population> {
    const population = new Population(parts);
    for (let count = 0; count < size; count += 1)
      await population.#addPerson(`person ${randomUUID()}`, round);
    return population;
  }

  /** Everybody works, at every process, until the round is over. */
  async run(round: Round): Promise<void> {
    const { random } = round;
    const { numbers } = this.#parts.processes;
    const work = numbers.flatMap((process) => {
      const stations = this.#people.map((subject) => this.station(subject, process, round));
      const machine = this.station(machineClient, process, round);
      return [
        ...times(machinesEach, () => runMachine(machine, this.#shared, this.#given)),
        ...stations.flatMap((station) =>
          times(writersEach, () => new NoteWriter(station, this.#given).run()),
        ),
        ...this.#circles.flatMap((circle) => {
          const owner = this.station(circle.subject, process, round);
          return times(rivalsEach, () => round.repeat(() => countUp(circle, owner)));
        }),
        round.repeat(() => comeAndGo(this.station(`leaver ${randomUUID()}`, process, round), this.#leavings)),
      ];
    });
    const members = this.#people.map((subject) => {
      const station = this.station(subject, random.pick(numbers), round);
      const others = this.#circles.filter((circle) => circle.subject !== subject);
      const open = others.map((circle) => this.#invitedBy(circle, random.pick(numbers), round));
      return new Member(station, open, this.#placesOf(subject)).run();
    });
    await Promise.all([...work, ...members]);
  }

  /** Each person at one process or another: they all have the same database. */
  async check(checker: Checker, round: Round): Promise<void> {
    const { log, processes } = this.#parts;
    this.#tokens.clear();
    const anywhere = () => round.random.pick(processes.numbers);
    const positions = log.takePositions();
    for (const subject of this.#people)
      await checker.check(this.station(subject, anywhere(), round), positions.get(subject) ?? []);
    for (const leaving of this.#leavings)
      await checker.checkLeaving(leaving, this.station(leaving.subject, anywhere(), round));
    this.#leavings = [];
  }

  station(subject: string, process: number, round: Round): Station {
    const target = { number: process, origin: this.#parts.processes.origin(process) };
    return new Station(subject, (isRefused) => this.#token(subject, isRefused), target, round);
  }

  #invitedBy({ id, subject }: OwnCircle, process: number, round: Round): Circle {
    const owner = this.station(subject, process, round);
    const path = `/circles/${id}/invitations`;
    return {
      id,
      invite: () => owner.ask([201], 'POST', path, { role: 'member', uses: 1 }),
      endInvitation: (invitation) => owner.ask([204], 'DELETE', `${path}/${invitation}`),
    };
  }

  #placesOf(subject: string): Map<string, string> {
    const places = this.#parts.log.of(subject, 'places').filter(({ state }) => state !== 'gone');
    return new Map(places.map(({ id, fields }) => [String(fields.circle), id]));
  }

  async #addPerson(subject: string, round: Round): Promise<void> {
    const station = this.station(subject, 0, round);
    const make = async (collection: 'notes' | 'circles', more: object) => {
      const label = randomUUID();
      round.journal.subjects.set(label, subject);
      const fields = { label, step: 0, ...more };
      const reply = await station.write(collection, label, [201], 'POST', `/${collection}`, fields);
      if (reply?.status !== 201) throw new Error(`No ${collection} could be made: ${reply?.text}`);
      return String(JSON.parse(reply.text).id);
    };
    this.#people.push(subject);
    this.#shared.push(await make('notes', { text: 'to and fro' }));
    if (this.#circles.length < circles) this.#circles.push({ id: await make('circles', {}), subject });
  }

  async #token(subject: string, isRefused: boolean): Promise<string> {
    if (subject === machineClient) return this.#parts.machineToken;
    const known = this.#tokens.get(subject);
    if (known !== undefined && !isRefused && known.uses < usesOfToken) {
      known.uses += 1;
      return known.token;
    }
    const token = this.#parts.provider.token({ sub: subject });
    this.#tokens.set(subject, { token, uses: 1 });
    return token;
  }
}

function times<T>(count: number, make: () => T): T[] {
  return Array.from({ length: count }, make);
}
