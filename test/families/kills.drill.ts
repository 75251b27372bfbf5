import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { describe, it } from 'node:test';
import { Person } from '../people/person.ts';
import { plainSql } from '../support/databases/plain-sql.ts';
import type { Reply } from '../support/http/request.ts';
import { until } from '../support/run/polling.ts';
import { PseudoRandom } from '../support/run/pseudo-random.ts';
import { sized } from '../support/run/size.ts';
import { atOnce, type Deployment, deployment } from '../support/services/deployment.ts';
import { clockedProcess, databaseEngines, startService } from '../support/services/service.ts';
import { exampleDeclarations } from './examples.ts';

const writes = sized(2_000, 10_000);
const killsPerProcess = sized(5, 20);
const writers = 16;
const parents = 5;
const seats = 6;
/** Registrations that a writer holds at the same time: more than there are seats for all. */
const maxHeld = 4;
/** Topics of a registration event: its owner, and the owner and the helpers of the meetup. */
const expectedTopics = 3;

for (const engine of databaseEngines)
  describe(`records under a parent while two processes are killed, on ${engine}`, () => {
    const target = deployment({
      engine,
      processes: 2,
      declarations: exampleDeclarations('meetup'),
      settings: {
        ...clockedProcess,
        NEWCOMERS_PER_HOUR: '1000000',
      },
    });

    it('counts, places and events stay exact', async (t) => {
      const ada = await Person.of(target());
      const meetups = await atOnce(parents, async () => {
        const id = await ada.make('meetups', { title: 'Talk', starts: '2999-01-01T18:00:00Z', seats });
        assert.equal((await ada.post(`meetups/${id}/publish`)).status, 200);
        return id;
      });
      const progress = { done: 0, isOver: false };
      const people = await Person.several(target(), writers);
      const all = people.map(
        (person, index) => new Writer({ person, meetups, progress, target: target(), index }),
      );
      const killing = killAll(target(), progress);
      await Promise.all(all.map((writer) => writer.run())).finally(() => {
        progress.done = writes;
        progress.isOver = true;
      });
      t.diagnostic(`${progress.done} writes, ${await killing} kills`);

      const database = plainSql(target().settings);
      const records = await database.query(
        "select id, state, body from records where collection = 'registrations'",
      );
      const stored = new Set(records.map(({ id }) => id));
      for (const { held } of all)
        for (const id of held.values())
          assert.ok(stored.has(id), 'an acknowledged registration is still there');
      const parentOf = (body: unknown) => String(JSON.parse(String(body)).meetup);
      const counted = Map.groupBy(records, ({ state, body }) => `${parentOf(body)} ${state}`);
      const tallies = await database.query(
        "select record_id, state, n from tallies where child = 'registrations'",
      );
      assert.deepEqual(
        new Map(
          tallies
            .filter(({ n }) => Number(n) !== 0)
            .map((one) => [`${one.record_id} ${one.state}`, Number(one.n)]),
        ),
        new Map([...counted].map(([key, { length }]) => [key, length])),
      );
      const states = new Map(records.map(({ id, state }) => [String(id), String(state)]));
      await assertLog(database, states, new Map(all.flatMap(({ meetupOf }) => [...meetupOf])));
    });
  });

interface Progress {
  done: number;
  isOver: boolean;
}

/** Kills one process after the other, each time after as many writes. The number of kills. */
async function killAll(target: Deployment, progress: Progress): Promise<number> {
  const kills = killsPerProcess * target.services.length;
  for (let kill = 0; kill < kills; kill += 1) {
    const share = ((kill + 0.5) * writes) / kills;
    await until(
      () => progress.done,
      (done) => done >= share,
      'the writers do not get on',
      120_000,
    );
    const index = kill % target.services.length;
    const { process } = target.services[index] ?? assert.fail();
    const gone = once(process, 'exit');
    process.kill('SIGKILL');
    await gone;
    target.services[index] = await startService(target.settings);
  }
  progress.isOver = true;
  return kills;
}

interface Writing {
  readonly person: Person;
  readonly meetups: readonly string[];
  readonly progress: Progress;
  readonly target: Deployment;
  readonly index: number;
}

/** Registers, cancels and deletes at one process or the other. A request without an answer is sent again. */
class Writer {
  /** The registrations that are not cancelled, by their meetup. */
  readonly held = new Map<string, string>();
  /** The meetup of each registration that was ever made. */
  readonly meetupOf = new Map<string, string>();
  readonly #given: Writing;
  readonly #random: PseudoRandom;

  constructor(given: Writing) {
    this.#given = given;
    this.#random = new PseudoRandom(given.index + 1);
  }

  async run(): Promise<void> {
    const { meetups, progress } = this.#given;
    while (!progress.isOver || progress.done < writes) {
      const free = meetups.filter((id) => !this.held.has(id));
      const isNext = this.held.size === 0 || (this.held.size < maxHeld && this.#random.below(2) === 0);
      if (isNext) await this.#register(this.#random.pick(free));
      else await this.#cancel(this.#random.pick([...this.held.keys()]));
    }
  }

  async #register(meetup: string): Promise<void> {
    const { status, text, body } = await this.#send('POST', '/registrations', { meetup });
    assert.equal(status, 201, text);
    this.held.set(meetup, body.id);
    this.meetupOf.set(body.id, meetup);
  }

  async #cancel(meetup: string): Promise<void> {
    const id = this.held.get(meetup);
    const cancelled = await this.#send('POST', `/registrations/${id}/cancel`);
    // The process may have been killed before it answered.
    assert.ok(cancelled.status === 200 || cancelled.body.state === 'cancelled', cancelled.text);
    this.held.delete(meetup);
    const deleted = await this.#send('DELETE', `/registrations/${id}`);
    assert.ok([204, 404].includes(deleted.status), deleted.text);
  }

  async #send(
    method: string,
    path: string,
    fields?: object,
  ): Promise<{ status: number; text: string; body: { id: string; state: string } }> {
    const { person, target, progress } = this.#given;
    const key = method === 'POST' ? { 'idempotency-key': randomUUID() } : {};
    for (;;) {
      const { caller } = person.at(target.serviceAt(this.#random.below(2)));
      const reply: Reply | null = await caller.send(method, path, fields, key).catch(() => null);
      // 409: the first try may still be under way.
      if (reply === null || reply.status === 503 || reply.text.includes('idempotency_')) continue;
      progress.done += 1;
      return {
        status: reply.status,
        text: reply.text,
        body: reply.text === '' ? { id: '', state: '' } : reply.json(),
      };
    }
  }
}

/** Replays the events: no place is taken twice, the longest waiting is next, and each change has one event. */
async function assertLog(
  database: ReturnType<typeof plainSql>,
  stored: ReadonlyMap<string, string>,
  meetupOf: ReadonlyMap<string, string>,
): Promise<void> {
  const events = await database.query(
    "select position, type, at, record_id, data from events where collection = 'registrations' order by position",
  );
  const topics = await database.query(
    'select position, count(*) as count from event_topics group by position',
  );
  const topicsOf = new Map(topics.map(({ position, count }) => [Number(position), Number(count)]));
  const known = new Map<string, { state: string; at: number; meetup: string }>();
  const revisions = new Set<string>();
  for (const event of events) {
    const id = String(event.record_id);
    const { state, from = null, revision } = JSON.parse(String(event.data));
    const { type } = event;
    const before = known.get(id);
    assert.equal(topicsOf.get(Number(event.position)), expectedTopics, `${type} ${id}`);
    if (String(type).endsWith('.deleted')) {
      assert.equal(before?.state, 'cancelled', 'what is deleted was cancelled');
      known.delete(id);
      continue;
    }
    assert.ok(!revisions.has(revision), 'a change is told once');
    revisions.add(revision);
    assert.equal(from, before?.state ?? null, 'no change is missing before this one');
    const meetup = meetupOf.get(id) ?? assert.fail('a registration that was never acknowledged');
    const others = [...known].filter(([, one]) => one.meetup === meetup);
    if (from === 'waiting' && state === 'confirmed') {
      const waiting = others.filter(([, one]) => one.state === 'waiting');
      const [first] = waiting.toSorted(([a, one], [b, other]) => one.at - other.at || (a < b ? -1 : 1));
      assert.equal(id, first?.[0], 'the longest waiting is next');
    }
    known.set(id, { state, at: before?.at ?? Number(event.at), meetup });
    const taken = [...known.values()].filter((one) => one.meetup === meetup && one.state === 'confirmed');
    assert.ok(taken.length <= seats, `${taken.length} of ${seats} seats are taken`);
  }
  assert.deepEqual(new Map([...known].map(([id, { state }]) => [id, state])), stored);
}
