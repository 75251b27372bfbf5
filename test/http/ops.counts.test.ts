import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { ApiCaller } from '../support/http/api-caller.ts';
import { until } from '../support/run/polling.ts';
import { deployment } from '../support/services/deployment.ts';
import { type Service, someEngine } from '../support/services/service.ts';
import type { TestProvider } from '../support/tokens/provider.ts';

const notes = 'schema: { properties: { text: { type: string, maxLength: 100 } } }\nlimits: { per_user: 2 }';

for (const engine of someEngine) {
  describe(`request metrics at /metrics, on ${engine}`, () => {
    let provider: TestProvider;
    let service: Service;
    let caller: ApiCaller;
    const running = deployment({ engine, declarations: { notes } });
    before(async () => {
      ({ provider, service } = running());
      caller = new ApiCaller(service.url, await provider.token());
    });
    const value = async (line: string) => {
      const found = (await service.metrics()).split('\n').find((text) => text.startsWith(`${line} `));
      return found === undefined ? null : Number(found.slice(line.length + 1));
    };
    /** A request is counted after its answer is sent, so the caller may be faster. */
    const becomes = (line: string, expected: number) =>
      until(
        () => value(line),
        (found) => found === expected,
        `${line} is not ${expected}`,
      );

    it('refusal and batch counters exist with value 0 before the first event', async () => {
      for (const code of ['internal', 'storage_unavailable', 'overloaded', 'quota_exceeded'])
        assert.equal(await value(`vestibule_refusals_total{code="${code}"}`), 0);
      assert.equal(await value('vestibule_write_batch_size_count'), 0);
    });

    it('single writes are counted as batches, and the queue is empty afterwards', async () => {
      for (const text of ['one', 'two']) await caller.make('notes', { text });
      // The registration of the caller is a write, too, and may share the first batch.
      const batches = await value('vestibule_write_batch_size_count');
      assert.ok(batches === 2 || batches === 3, String(batches));
      await becomes('vestibule_write_batch_duration_seconds_count', Number(batches));
      assert.equal(await value('vestibule_write_batch_size_bucket{le="256"}'), batches);
      assert.equal(await value('vestibule_write_queue_length'), 0);
      assert.equal(await value('vestibule_write_queue_oldest_seconds'), 0);
    });

    it('an exceeded quota is counted as a refusal', async () => {
      assert.equal((await caller.send('POST', '/notes', { text: 'three' })).status, 409);
      await becomes('vestibule_refusals_total{code="quota_exceeded"}', 1);
    });

    it('token cache hits and misses are counted', async () => {
      assert.equal(await value('vestibule_token_cache_lookups_total{result="miss"}'), 1);
      assert.equal(await value('vestibule_token_cache_lookups_total{result="hit"}'), 2);
      assert.equal(await value('vestibule_token_cache_entries'), 1);
    });

    it('PostgreSQL sessions are reported, and absent on SQLite', async () => {
      const limit = await value('vestibule_database_sessions_limit');
      if (engine === 'sqlite') return assert.equal(limit, null);
      assert.equal(limit, 10);
      assert.ok(Number(await value('vestibule_database_sessions{state="idle"}')) >= 1);
      assert.equal(await value('vestibule_database_sessions_waiting'), 0);
      assert.equal(await value('vestibule_database_session_waits_total'), 0);
    });
  });
}
