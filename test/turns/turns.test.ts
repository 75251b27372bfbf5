import assert from 'node:assert/strict';
import { Agent } from 'node:http';
import { after, before, describe, it } from 'node:test';
import { exportsPerCaller } from '../../src/consumer/export.ts';
import { declarationsFolder } from '../support/services/declarations.ts';
import {
  addClient,
  databaseEngines,
  newSettings,
  type Service,
  startService,
} from '../support/services/service.ts';
import { TestProvider } from '../support/tokens/provider.ts';
import { declarations, settings, Worst } from './kinds.ts';
import { send } from './send.ts';

/** Kinds of which a flood takes many slices. */
const longKinds = [
  'list of 1 MiB',
  'list q=, 16 kB, no match',
  'list q=, hard texts',
  'count q=, hard texts',
  'batch of 50 changes of 16 kB',
];

for (const engine of databaseEngines)
  describe(`a flood of one caller, on ${engine}`, () => {
    const flood = 64;
    let provider: TestProvider;
    let service: Service;
    let worst: Worst;
    let filled: Awaited<ReturnType<Worst['fill']>>;
    const agent = new Agent({ keepAlive: true, maxSockets: flood });
    before(async () => {
      provider = await TestProvider.start();
      const chosen = { ...provider.settings, ...settings, COLLECTIONS_DIR: declarationsFolder(declarations) };
      const all = await newSettings(engine, { ...chosen, LOG_LEVEL: 'warn' });
      service = await startService(all);
      const secret = await addClient(all, 'machine');
      worst = new Worst({
        url: service.url,
        baseUrl: String(all.BASE_URL),
        provider,
        client: { id: 'machine', secret },
      });
      filled = await worst.fill(0.1);
    });
    after(async () => {
      agent.destroy();
      worst.agent.destroy();
      await provider.stop();
      await service.stop();
    });

    for (const name of longKinds)
      it(`leaves another person the second turn, and holds up no probe: ${name}`, async () => {
        const make = filled.kinds[name] ?? assert.fail();
        let answered = 0;
        const { promise: first, resolve } = Promise.withResolvers<void>();
        const all = Array.from({ length: flood }, async () => {
          const { status } = await send(service.url, agent, make());
          answered += 1;
          resolve();
          return status;
        });
        await first;
        const before = answered;
        const [{ status }, probe] = await Promise.all([
          worst.ask(filled.read),
          send(service.opsUrl, worst.agent, { path: '/livez' }),
        ]);
        const meanwhile = answered - before;
        assert.deepEqual([status, probe.status], [200, 200]);
        assert.ok(answered < flood, `all of the flood was answered before the other person`);
        assert.ok(meanwhile <= flood / 2, `${meanwhile} of the flood were answered before the other person`);
        await Promise.all(all);
      });

    it('gets one export at a time, and each is whole', async () => {
      const all = await Promise.all(
        Array.from({ length: 16 }, () =>
          send(service.url, agent, filled.kinds['export of 17 MB']?.() ?? assert.fail(), true),
        ),
      );
      const [whole, refused] = [
        all.filter(({ status }) => status === 200),
        all.filter(({ status }) => status === 429),
      ];
      assert.equal(whole.length + refused.length, all.length);
      assert.ok(whole.length >= exportsPerCaller);
      for (const { text } of whole) assert.match(text, /"type":"end"/);
      for (const { text } of refused) assert.equal(JSON.parse(text).code, 'too_many_streams');
    });
  });
