import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { maxInBatch } from '../../src/records/rules/operation.ts';
import { maxWaiting } from '../../src/records/write-queue.ts';
import { beginOutside } from '../support/databases/outsider.ts';
import { ApiCaller } from '../support/http/api-caller.ts';
import { concurrently } from '../support/load/flood.ts';
import { openMany, type RawAnswer, RawConnection } from '../support/load/raw-connection.ts';
import { writeRequest } from '../support/load/requests.ts';
import { until } from '../support/run/polling.ts';
import { deployment } from '../support/services/deployment.ts';
import { databaseEngines, type Service } from '../support/services/service.ts';
import type { TestProvider } from '../support/tokens/provider.ts';

const notes = `
schema: { properties: { text: { type: string, maxLength: 280 }, stars: { type: integer } } }
limits: { per_user: 100000, writes: 100000/min }`;
const callers = 50;
/** A busy machine needs this long for three thousand answers. */
const deadlineMs = 90_000;

/** The counts of `npm run overload`; that command also measures times. */
for (const engine of databaseEngines) {
  describe(`more writes than the queue holds, on ${engine}`, () => {
    let provider: TestProvider;
    let service: Service;
    let tokens: string[];
    let database: string;
    const running = deployment({
      engine,
      declarations: { notes },
      prepare: async (settings) => {
        database = String(settings.DATABASE_URL).replace(/^sqlite:/, '');
      },
    });
    before(async () => {
      ({ provider, service } = running());
      let made = 0;
      tokens = await concurrently(callers, 8, () => provider.token({ sub: `somebody ${made++}` }));
      for (const token of tokens) await new ApiCaller(service.url, token).make('notes', {});
    });
    const tokenAt = (index: number) => String(tokens[index % tokens.length]);
    const records = async () => {
      let sum = 0;
      for (const token of tokens)
        sum += (await new ApiCaller(service.url, token).usage('notes')).records.used;
      return sum;
    };
    const residentMb = async () =>
      Number(/^process_resident_memory_bytes (\S+)/m.exec(await service.metrics())?.[1]) / 2 ** 20;
    const connect = (count: number, onAnswer?: (answer: RawAnswer) => void) =>
      openMany(count, (index) => RawConnection.open(service.url, `127.0.0.${1 + (index % 4)}`, onAnswer));

    it('[G173] are 503 with Retry-After, and every 201 is stored', async () => {
      const [recordsBefore, memoryBefore] = [await records(), await residentMb()];
      const answers: RawAnswer[] = [];
      const all = await connect(maxWaiting + 1_000, (answer) => void answers.push(answer));
      // No other request can write meanwhile.
      const outsider = await beginOutside(database);
      if (engine === 'postgres') await outsider.run('lock table consumers in exclusive mode');
      for (const [index, connection] of all.entries()) connection.send(writeRequest(tokenAt(index)));
      const answered = () => answers.length;
      const mayWait = all.length - maxInBatch;
      await until(answered, (count) => count >= mayWait, 'not all that wait are refused', deadlineMs);
      await outsider.commit();
      await until(answered, (count) => count === all.length, 'not everybody has an answer', deadlineMs);
      for (const { socket } of all) socket.destroy();
      const accepted = answers.filter(({ status }) => status === 201);
      const refused = answers.filter(({ status }) => status === 503);
      assert.equal(accepted.length + refused.length, all.length);
      assert.ok(accepted.length <= maxInBatch, `${accepted.length} in one batch`);
      for (const { head } of refused) assert.match(head, /\r\nretry-after: 1\r\n/i);
      assert.equal(await records(), recordsBefore + accepted.length);
      const grown = (await residentMb()) - memoryBefore;
      assert.ok(grown < 300, `${Math.round(grown)} MB more`);
      const status = await new ApiCaller(service.url, tokenAt(0)).make('notes', {});
      assert.ok(status.record.id, 'well again');
    });

    it('[G181] are dropped when their callers hang up before they begin', async () => {
      const recordsBefore = await records();
      const open = async () =>
        Number(/^vestibule_connections_open (\S+)/m.exec(await service.metrics())?.[1]);
      const all = await connect(300);
      const outsider = await beginOutside(database);
      if (engine === 'postgres') await outsider.run('lock table consumers in exclusive mode');
      const first = new ApiCaller(service.url, tokenAt(0)).make('notes', {});
      await pause(100);
      const openBefore = await open();
      for (const [index, connection] of all.entries()) connection.send(writeRequest(tokenAt(index)));
      await pause(50);
      for (const { socket } of all) socket.destroy();
      await until(open, (count) => count <= openBefore - all.length, 'they have not hung up', deadlineMs);
      await outsider.commit();
      // Its batch is the only one that had begun.
      const [made] = await Promise.allSettled([first]);
      assert.equal(await records(), recordsBefore + (made.status === 'fulfilled' ? 1 : 0));
    });
  });
}
