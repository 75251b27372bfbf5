import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { ApiCaller } from '../support/api-caller.ts';
import { EventStream } from '../support/event-stream.ts';
import { until } from '../support/polling.ts';
import { Processes } from '../support/processes.ts';
import { databaseEngines } from '../support/service.ts';

/** What docs/operations.md promises. */
const promisedMs = 1_000;

for (const engine of databaseEngines) {
  describe(`a caller who is suspended, at two processes on ${engine}`, () => {
    let two: Processes;
    before(async () => {
      two = await Processes.start(engine, 2);
    });
    after(() => two.stop());

    it('is refused at both within a second, and its streams end', async () => {
      const [token, other] = [
        await two.provider.token({ sub: 'suspended' }),
        await two.provider.token({ sub: 'stays' }),
      ];
      await two.letIn([token, other]);
      const { id } = (await two.me(token))[0]?.json<{ id: string }>() ?? assert.fail();
      const streams = await Promise.all(
        two.services.map(({ url }) => EventStream.open(new ApiCaller(url, token))),
      );
      await two.command('consumer', 'suspend', id);
      const since = performance.now();
      await two.become(403, token);
      for (const stream of streams)
        await until(
          () => stream.isOver,
          (isOver) => isOver,
          'a stream goes on',
        );
      const tookMs = performance.now() - since;
      // A busy machine is slow with every request: its slowest one comes on top.
      const asked = performance.now();
      await two.letIn([other]);
      const allowedMs = promisedMs + 4 * (performance.now() - asked);
      assert.ok(tookMs <= allowedMs, `${Math.round(tookMs)} ms, allowed: ${Math.round(allowedMs)}`);
    });
  });
}
