import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { after, before, describe, it } from 'node:test';
import { ApiCaller, type WireRecord } from '../support/api-caller.ts';
import { declarationsFolder } from '../support/declared-processes.ts';
import { until } from '../support/polling.ts';
import { TestProvider } from '../support/provider.ts';
import type { Reply } from '../support/request.ts';
import {
  databaseEngines,
  newSettings,
  type Service,
  type Settings,
  startService,
} from '../support/service.ts';

const declarations = {
  notes: `
schema: { required: [step], properties: { step: { type: integer } } }
limits: { per_user: 100000, writes: 1000000/day }`,
};

/** What a record may be: at one step of its life, or, deleted, at none. */
type Step = number | null;

/** A caller who writes, and remembers what it was told. */
class Witness {
  caller: ApiCaller;
  /** What each record may be now: two things while an answer is out, else one. */
  readonly steps = new Map<string, readonly Step[]>();
  /** The keys of records that it asked for without an answer. */
  readonly unanswered = new Set<string>();

  constructor(caller: ApiCaller) {
    this.caller = caller;
  }

  /** Makes records, changes each a few times and deletes every other one, until nobody answers any more. */
  async writeUntilDead(): Promise<void> {
    try {
      for (let round = 0; ; round += 1) {
        const id = await this.make(randomUUID());
        for (let step = 1; step <= 3; step += 1)
          await this.#change(id, [step - 1, step], this.caller.send('PATCH', `/notes/${id}`, { step }));
        if (round % 2 === 1) await this.#change(id, [3, null], this.caller.send('DELETE', `/notes/${id}`));
      }
    } catch (error) {
      // The connection broke, as it should; anything else is a failure.
      if (!(error instanceof TypeError)) throw error;
    }
  }

  /** A record that is made once, however often it is asked for with this key; its id. */
  async make(key: string): Promise<string> {
    this.unanswered.add(key);
    const reply = await this.caller.send('POST', '/notes', { step: 0 }, { 'idempotency-key': key });
    assert.equal(reply.status, 201, reply.text);
    this.unanswered.delete(key);
    const { id } = reply.json<WireRecord>();
    this.steps.set(id, [0]);
    return id;
  }

  async #change(id: string, [from, to]: readonly [Step, Step], sent: Promise<Reply>): Promise<void> {
    this.steps.set(id, [from, to]);
    const { status, text } = await sent;
    assert.equal(status, to === null ? 204 : 200, text);
    this.steps.set(id, [to]);
  }

  /** Everything is as it was told, nothing else is there, and what was not answered can be sent again. */
  async check(): Promise<void> {
    const found = await this.#found();
    for (const [id, mayBe] of this.steps) {
      const step = found.get(id) ?? null;
      assert.ok(mayBe.includes(step), `${id} is at ${step} and was at ${mayBe.join(' or ')}`);
      this.steps.set(id, [step]);
    }
    assert.equal((await this.caller.usage('notes')).records.used, found.size);
    const unexpected = [...found.keys()].filter((id) => !this.steps.has(id));
    const asked = [...this.unanswered];
    const made = await Promise.all(asked.map((key) => this.make(key)));
    assert.deepEqual(
      unexpected.filter((id) => !made.includes(id)),
      [],
      'it was asked for',
    );
    assert.equal(
      (await this.#found()).size,
      found.size + asked.length - unexpected.length,
      'and is there once',
    );
  }

  async #found(): Promise<Map<string, number>> {
    const records = await this.caller.all('notes');
    return new Map(records.map(({ id, step }) => [id, Number(step)]));
  }
}

for (const engine of databaseEngines) {
  describe(`a process that is killed while it writes, on ${engine}`, () => {
    let provider: TestProvider;
    let settings: Settings;
    let service: Service;
    before(async () => {
      provider = await TestProvider.start();
      const COLLECTIONS_DIR = declarationsFolder(declarations);
      settings = await newSettings(engine, {
        ...provider.settings,
        COLLECTIONS_DIR,
        READS_PER_MINUTE: '100000',
      });
      service = await startService(settings);
    });
    after(async () => {
      await provider.stop();
      await service.stop();
    });

    it('has kept every write that it answered, whole, and counts what is there', async () => {
      const tokens = await Promise.all(['a', 'b', 'c'].map((sub) => provider.token({ sub })));
      const witnesses = tokens.map((token) => new Witness(new ApiCaller(service.url, token)));
      const written = () => witnesses.reduce((sum, { steps }) => sum + steps.size, 0);
      for (let kill = 0; kill < 2; kill += 1) {
        const goal = written() + 30;
        const writers = witnesses.flatMap((witness) =>
          Array.from({ length: 4 }, () => witness.writeUntilDead()),
        );
        await Promise.race([until(written, (count) => count >= goal, 'too little is written'), ...writers]);
        const closed = once(service.process, 'close');
        service.process.kill('SIGKILL');
        await Promise.all([closed, ...writers]);
        service = await startService(settings);
        for (const witness of witnesses) {
          witness.caller = witness.caller.at(service);
          await witness.check();
        }
      }
    });
  });
}
