import assert from 'node:assert/strict';
import { rmSync, writeFileSync } from 'node:fs';
import { after, before, describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { assertProblem } from '../support/answers.ts';
import { ApiCaller } from '../support/api-caller.ts';
import { EventStream } from '../support/event-stream.ts';
import { newDirectory, refused, succeeded } from '../support/outcome.ts';
import { plainSql } from '../support/plain-sql.ts';
import { until } from '../support/polling.ts';
import { TestProvider } from '../support/provider.ts';
import type { Reply } from '../support/request.ts';
import {
  databaseEngines,
  newSettings,
  runVestibule,
  type Service,
  type Settings,
  startService,
} from '../support/service.ts';

/** A second is promised. A machine that runs other tests beside may need more, and what is too late stays too late. */
const promisedMs = 5_000;

for (const engine of databaseEngines) {
  describe(`callers who were migrated and are suspended, on ${engine}`, () => {
    const folder = newDirectory();
    let former: TestProvider;
    let current: TestProvider;
    let settings: Settings;
    let services: readonly Service[];
    before(async () => {
      [former, current] = [await TestProvider.start(), await TestProvider.start()];
      const file = `${folder}/providers.yaml`;
      writeFileSync(
        file,
        `- { name: former, origin: "${former.origin}", issuer: "${former.origin}", jwks_path: /jwks }
- { name: current, origin: "${current.origin}", issuer: "${current.origin}", jwks_path: /jwks }
`,
      );
      settings = await newSettings(engine, { IDPS_FILE: file, COLLECTIONS_DIR: 'collections' });
      services = [await startService(settings), await startService(settings)];
    });
    after(async () => {
      for (const service of services) await service.stop();
      await former.stop();
      await current.stop();
      rmSync(folder, { recursive: true });
    });

    const command = async (...parameters: string[]) =>
      succeeded(await runVestibule(settings, 'consumer', ...parameters));

    const consumers = async () =>
      (await plainSql(settings).query('select id from consumers')).map(({ id }) => String(id));

    /** The pseudonym that it has then, under which it was not here before. */
    async function migrate(sub: string): Promise<string> {
      const before = new Set(await consumers());
      const mapping = `${folder}/mapping.jsonl`;
      writeFileSync(mapping, JSON.stringify({ old: sub, new: sub }));
      const parameters = ['--from', 'former', '--to', 'current', '--mapping', mapping];
      const { code, stdout, stderr } = await runVestibule(settings, 'consumer', 'migrate', ...parameters);
      assert.equal(code, 0, stderr);
      assert.match(stdout, /^1 callers are migrated/);
      return (await consumers()).find((id) => !before.has(id)) ?? assert.fail();
    }

    /** The same person with a token of each of the two providers. */
    async function personOf(sub: string) {
      const [old, now] = [await former.token({ sub }), await current.token({ sub })];
      return { old, now };
    }
    const at = (service: Service, token: string) => new ApiCaller(service.url, token);
    const everywhere = (...tokens: string[]): Promise<Reply[]> =>
      Promise.all(services.flatMap((service) => tokens.map((token) => at(service, token).get('/me'))));
    const become = (status: number, ...tokens: string[]) =>
      until(
        () => everywhere(...tokens),
        (replies) => replies.every((reply) => reply.status === status),
        `/me does not become ${status} with every token at every process`,
        promisedMs,
      );
    async function idOf(token: string): Promise<string> {
      const [reply] = await everywhere(token);
      assert.equal(reply?.status, 200);
      return reply.json<{ id: string }>().id;
    }
    async function statusesOf(token: string, isOver: () => boolean): Promise<Set<number>> {
      const statuses = new Set<number>();
      do {
        for (const { status } of await everywhere(token)) statuses.add(status);
        await pause(20);
      } while (!isOver());
      return statuses;
    }

    it('are refused afterwards with tokens of either provider, at every process and on streams, until they are resumed', async () => {
      const { old, now } = await personOf('suspended-after');
      const formerId = await idOf(old);
      const id = await migrate('suspended-after');
      await until(
        async () => (await idOf(old)) && consumers(),
        (known) => known.includes(formerId),
        'it does not begin anew under the former pseudonym',
      );
      const [first, second] = services as [Service, Service];
      const streams = await Promise.all([
        EventStream.open(at(first, old)),
        EventStream.open(at(second, now)),
      ]);
      await command('suspend', id);
      for (const reply of await become(403, old, now)) assertProblem(reply, 'consumer_suspended');
      for (const stream of streams) {
        await stream.ended();
        assert.equal(stream.reason, 'consumer_suspended');
      }
      for (const reply of await everywhere(await former.token({ sub: 'suspended-after' })))
        assertProblem(reply, 'consumer_suspended');
      assert.equal((await everywhere(await former.token({ sub: 'a bystander' })))[0]?.status, 200);
      const third = await startService(settings);
      const reply = await at(third, old)
        .get('/me')
        .finally(() => third.stop());
      assertProblem(reply, 'consumer_suspended');
      const shown = await command('show', formerId);
      assert.ok(shown.includes(`It was migrated to "${id}" and has come back since.`), shown);
      assert.equal(JSON.parse(await command('show', formerId, '--json')).migrated_to, id);
      await command('resume', id);
      await become(200, old, now);
      assert.equal(await idOf(old), formerId);
    });

    it('are to be named by the new pseudonym, as commands say that are given the old one', async () => {
      const { old } = await personOf('called by the old name');
      const formerId = await idOf(old);
      const id = await migrate('called by the old name');
      for (const parameters of [['show'], ['suspend'], ['resume'], ['sign-out'], ['erase', '--yes']])
        refused(
          await runVestibule(settings, 'consumer', ...parameters, formerId),
          new RegExp(`Caller "${formerId}" was migrated and is kept as "${id}" now\\. Name that one\\.`),
        );
    });

    it('are told apart from whoever has come back under the old pseudonym, by every command', async () => {
      const { old } = await personOf('came back');
      const formerId = await idOf(old);
      const id = await migrate('came back');
      for (const parameters of [['suspend'], ['resume'], ['sign-out'], ['erase', '--yes']]) {
        await until(
          async () => (await everywhere(await former.token({ sub: 'came back' }))) && consumers(),
          (known) => known.includes(formerId),
          'it does not begin anew',
        );
        const said = await command(...parameters, formerId);
        assert.ok(said.includes(`It was migrated to "${id}" and has come back since.`), said);
      }
      assert.ok((await consumers()).includes(id));
    });

    it('before, are kept under the new pseudonym alone, refused with both tokens, and resumed with one command', async () => {
      const { old, now } = await personOf('suspended-before');
      const formerId = await idOf(old);
      await command('suspend', formerId);
      await become(403, old);
      let isOver = false;
      const seen = statusesOf(old, () => isOver);
      const id = await migrate('suspended-before');
      for (const reply of await become(403, now)) assertProblem(reply, 'consumer_suspended');
      isOver = true;
      assert.deepEqual(await seen, new Set([403]), 'no process forgets it for a moment');
      assert.ok(!(await consumers()).includes(formerId));
      await command('resume', id);
      await become(200, old, now);
    });

    it('and erased leave nothing behind', async () => {
      const { old, now } = await personOf('suspended-and-erased');
      await at(services[0] as Service, old).make('notes', { text: 'mine' });
      const formerId = await idOf(old);
      await command('suspend', formerId);
      const id = await migrate('suspended-and-erased');
      await become(403, old, now);
      await command('erase', id, '--yes');
      for (const table of ['consumers', 'renamed_consumers', 'records', 'usage', 'idempotency_keys']) {
        const rows = JSON.stringify(await plainSql(settings).query(`select * from ${table}`));
        for (const name of [formerId, id]) assert.ok(!rows.includes(name), `${table}: ${rows}`);
      }
      await become(200, old, now);
    });
  });
}
