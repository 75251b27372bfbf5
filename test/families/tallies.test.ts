import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { after, before, describe, it } from 'node:test';
import { examined, linesOf } from '../support/commands/examined.ts';
import { newDirectory } from '../support/commands/outcome.ts';
import { plainSql } from '../support/databases/plain-sql.ts';
import { Person } from '../support/people/person.ts';
import { Deployment } from '../support/services/deployment.ts';
import { databaseEngines, newSettings, type Settings, startService } from '../support/services/service.ts';
import { TestProvider } from '../support/tokens/provider.ts';

const rooms = 'schema: { properties: { title: { type: string, maxLength: 80 } } }\n';
const papers = (parent: string) => `
parent: { field: room, collection: rooms${parent} }
schema: { properties: { note: { type: string, maxLength: 80 } } }
states: { open: { close: closed }, closed: {} }
`;

for (const engine of databaseEngines)
  describe(`tallies of child records, on ${engine}`, () => {
    const folder = `${newDirectory()}/declared`;
    let provider: TestProvider;
    let settings: Settings;
    before(async () => {
      provider = await TestProvider.start();
      settings = await newSettings(engine, { ...provider.settings, COLLECTIONS_DIR: folder });
      mkdirSync(folder);
      writeFileSync(`${folder}/rooms.yaml`, rooms);
    });
    after(() => provider.stop());

    /** Runs a task with a service whose papers have this parent. */
    async function served<T>(parent: string, task: (ada: Person) => Promise<T>): Promise<T> {
      writeFileSync(`${folder}/papers.yaml`, papers(parent));
      const service = await startService(settings);
      try {
        const declared = new Deployment(provider, service.settings, [service]);
        return await task(await Person.of(declared, { sub: 'ada' }));
      } finally {
        await service.stop();
      }
    }
    const found = async () =>
      (await examined(settings)).filter(({ name }) => name === 'counts').map(({ result }) => result);

    it('include earlier records when counts are declared, and are rebuilt when a declaration changes', async () => {
      const room = await served('', async (ada) => {
        const id = await ada.make('rooms', {});
        for (let index = 0; index < 3; index += 1) await ada.make('papers', { room: id });
        await ada.post(`papers/${await ada.make('papers', { room: id })}/close`);
        return id;
      });
      const counts = { papers: { open: 3, closed: 1 } };
      await served(', counts: true, max: 4', async (ada) => {
        assert.deepEqual((await ada.get(`rooms/${room}`)).body.counts, counts);
        assert.equal((await ada.post('papers', { room })).body.code, 'quota_exceeded');
      });
      assert.deepEqual(await found(), ['pass']);

      await plainSql(settings).query('update tallies set n = n + 7');
      assert.deepEqual(await found(), ['warn']);
      const warnings = linesOf(await examined(settings), 'warn').join('\n');
      assert.match(warnings, new RegExp(`papers under rooms/${room}`));
      await served(', counts: true, max: 5', async (ada) => {
        assert.deepEqual((await ada.get(`rooms/${room}`)).body.counts, counts);
        assert.equal((await ada.post('papers', { room })).status, 201);
      });
      assert.deepEqual(await found(), ['pass']);
    });
  });
