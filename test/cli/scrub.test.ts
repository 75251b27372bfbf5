import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { before, describe, it } from 'node:test';
import { succeeded } from '../support/commands/outcome.ts';
import { insertAll } from '../support/databases/batches.ts';
import { plainSql } from '../support/databases/plain-sql.ts';
import { newRecord } from '../support/databases/records.ts';
import type { ApiCaller } from '../support/http/api-caller.ts';
import { until } from '../support/run/polling.ts';
import { deployment, hourMs } from '../support/services/deployment.ts';
import { fileOf, newSettings, runVestibule } from '../support/services/service.ts';

const notes = 'schema: { properties: { text: { type: string, maxLength: 2000 } } }';

describe('vestibule scrub beside a service with a large file', () => {
  const one = deployment({ declarations: { notes } });
  const settings = () => one().settings;
  const file = () => fileOf(settings());
  const isDue = async () => /^vestibule_storage_scrub_due (\d)$/m.exec(await one().service.metrics())?.[1];
  const run = (...parameters: string[]) => runVestibule(settings(), ...parameters);
  const freePages = async () =>
    Number((await plainSql(settings()).query('pragma freelist_count'))[0]?.freelist_count);
  let caller: ApiCaller;
  before(async () => {
    caller = await one().person();
    const owner = String((await caller.get('/me')).json().id);
    const storage = await plainSql(settings()).open();
    const text = 'of somebody else '.repeat(60);
    const others = Array.from({ length: 9_000 }, () => newRecord({ fields: { text } }));
    const own = Array.from({ length: 500 }, () =>
      newRecord({ owner, fields: { text: 'ErasedCaller'.repeat(20) } }),
    );
    await insertAll(storage, [...others, ...own]);
    await storage.close();
  });

  it('does nothing if nothing was deleted', async () => {
    assert.deepEqual(JSON.parse(succeeded(await run('scrub', '--json'))), { outcome: 'nothing_to_do' });
  });

  it('metric, log and doctor ask for a scrub after an erasure, and nothing is rewritten before', async () => {
    assert.equal((await caller.send('DELETE', '/me')).status, 200);
    const free = await freePages();
    assert.ok(free > 0, 'control');
    await one().advance(hourMs);
    await until(isDue, (due) => due === '1', 'nobody is told that a scrub is due');
    assert.equal(await freePages(), free, 'the file was not written anew');
    const lines = one()
      .service.logLines()
      .filter(({ msg }) => String(msg).includes('vestibule scrub'));
    assert.equal(lines.length, 1);
    assert.match((await run('doctor')).stdout, /erased callers .*vestibule scrub/s);
  });

  it('removes every byte of erased callers while the service runs', async () => {
    assert.deepEqual(JSON.parse(succeeded(await run('scrub', '--json'))), { outcome: 'scrubbed' });
    assert.equal(await freePages(), 0);
    assert.equal(readFileSync(file()).includes('ErasedCaller'), false);
    const next = await one().person();
    assert.equal((await next.send('POST', '/notes', { text: 'goes on' })).status, 201);
    await one().advance(hourMs);
    await until(isDue, (due) => due === '0', 'the metric does not say that it was done');
  });
});

describe('vestibule scrub on PostgreSQL', () => {
  it('does nothing and names the documentation', async () => {
    const said = succeeded(await runVestibule(await newSettings('postgres', {}), 'scrub'));
    assert.match(said, /^There is nothing to do: the database is PostgreSQL, .*docs\/operations\.md/);
  });
});
