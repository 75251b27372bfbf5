import assert from 'node:assert/strict';
import { it } from 'node:test';
import { request } from '../support/http/request.ts';
import { until } from '../support/run/polling.ts';
import { declarationsFolder } from '../support/services/declarations.ts';
import { newSettings, startService } from '../support/services/service.ts';
import { TestProvider } from '../support/tokens/provider.ts';

const rooms = 'schema: { properties: { title: { type: string, maxLength: 80 } } }';
const papers = 'schema: { properties: { room: { type: string, maxLength: 80 } } }';
const underRooms =
  'parent: { field: room, collection: rooms, max: 5 }\nschema: { properties: { text: { type: string, maxLength: 80 } } }';

it('a process whose declared parents are outdated is not ready and says why', async (t) => {
  const provider = await TestProvider.start();
  t.after(() => provider.stop());
  const settings = await newSettings('sqlite', provider.settings);
  const start = async (declarations: Record<string, string>) => {
    const service = await startService({ ...settings, COLLECTIONS_DIR: declarationsFolder(declarations) });
    t.after(() => service.stop());
    return async () => {
      const reply = await request(`${service.opsUrl}/readyz`);
      const { checks, collections_fault: fault } = reply.json<Record<string, Record<string, string>>>();
      return { status: reply.status, check: checks?.collections, fault };
    };
  };
  const old = await start({ rooms, papers });
  const isReady = ({ status }: { readonly status: number }) => status === 200;
  await until(old, isReady, 'it does not become ready');
  const next = await start({ rooms, papers: underRooms });
  const isOutdated = ({ status }: { readonly status: number }) => status === 503;
  const { check, fault } = await until(old, isOutdated, 'it stays ready beside other parents');
  assert.equal(check, 'outdated');
  assert.match(String(fault), /different parents/);
  await until(next, isReady, 'the newer one does not become ready');
});
