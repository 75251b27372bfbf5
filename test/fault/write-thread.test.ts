import assert from 'node:assert/strict';
import { randomBytes, randomUUID } from 'node:crypto';
import { describe, it, type TestContext } from 'node:test';
import type { Worker } from 'node:worker_threads';
import { systemClock } from '../../src/base/clock.ts';
import { Refusal } from '../../src/base/errors.ts';
import type { Input } from '../../src/base/handler.ts';
import { fromPlain, toPlain } from '../../src/base/plain-error.ts';
import type { Principal } from '../../src/base/principal.ts';
import { startThread } from '../../src/base/threads.ts';
import { WriteThread } from '../../src/consumer/records/write-thread.ts';
import type { RecordWriterTask } from '../../src/record-writer.ts';
import { newSqliteFile, sqliteDatabase } from '../support/databases.ts';
import { newQuery } from '../support/records.ts';

const text = 'schema: { properties: { text: { type: string, maxLength: 280 } } }';

/** The thread that writes records, as the service starts it, with the threads that were started so far. */
async function startWriting(t: TestContext) {
  const storage = await sqliteDatabase(newSqliteFile()).open();
  const workers: Worker[] = [];
  const failures: unknown[] = [];
  const writes = new WriteThread({
    start(line) {
      const database = storage.share();
      const task: RecordWriterTask = {
        line,
        database,
        declarations: [{ name: 'notes', path: 'notes.yaml', text }],
        prefix: '/api',
        digestKey: new Uint8Array(randomBytes(32)),
        newcomersPerHour: 0,
      };
      assert.ok(database.engine === 'sqlite');
      const worker = startThread(new URL('../../src/record-writer.ts', import.meta.url), task, [
        database.port,
      ]);
      workers.push(worker);
      return worker;
    },
    clock: systemClock,
    onFailure: (error) => failures.push(error),
  });
  t.after(async () => {
    await writes.stop();
    await storage.close();
  });
  const create = writes.handler('notes', 'create');
  const caller = { id: `usr_${randomUUID()}`, kind: 'user', scopes: [], credentialId: null };
  return {
    storage,
    workers,
    failures,
    writes,
    post: async (body: string) => create(requestWith(body), caller as unknown as Principal),
    kept: async () => (await storage.records.list(newQuery({ limit: 100 }))).length,
  };
}

function requestWith(body: string): Input {
  const input: Partial<Input> = {
    contentType: 'application/json',
    body: Buffer.from(body),
    params: {},
    header: () => undefined,
  };
  return input as Input;
}

const isComeAgain = (error: unknown) =>
  error instanceof Refusal && error.code === 'storage_unavailable' && error.options.retryAfterSeconds === 1;

describe('the thread that writes records', () => {
  it('answers each with its own, whatever is in it', async (t) => {
    const { post, kept } = await startWriting(t);
    const texts = Array.from({ length: 20 }, (_, index) => `text ${index} \n\u2028 "\\ caf\u00e9 \u{1f469}`);
    const answers = await Promise.all(texts.map((each) => post(JSON.stringify({ text: each }))));
    assert.deepEqual(
      answers.map((answer) => [answer.status, JSON.parse(answer.text).text]),
      texts.map((each) => [201, each]),
    );
    assert.equal(await kept(), 20);
  });

  it('refuses as a handler beside it would', async (t) => {
    const { post } = await startWriting(t);
    await assert.rejects(post('{"text": 1}'), (error) => {
      assert.ok(error instanceof Refusal);
      assert.equal(error.code, 'validation_failed');
      assert.ok(Array.isArray(error.options.members?.errors));
      return true;
    });
  });

  it('that has ended tells whoever waits to come again, and the next write is done by another', async (t) => {
    const { post, workers, failures, kept } = await startWriting(t);
    await post('{}');
    const waiting = Promise.allSettled(Array.from({ length: 10 }, () => post('{}')));
    await workers[0]?.terminate();
    const ends = await waiting;
    const refused = ends.filter((end) => end.status === 'rejected');
    assert.ok(refused.length > 0);
    for (const { reason } of refused) assert.ok(isComeAgain(reason), String(reason));
    assert.equal(failures.length, 1);
    const before = await kept();
    assert.ok(before >= 1 + ends.length - refused.length, 'what was answered is there');
    assert.equal((await post('{}')).status, 201);
    assert.equal(await kept(), before + 1);
    assert.equal(workers.length, 2);
  });

  it('once stopped, also while it starts, is gone and takes nothing more', async (t) => {
    const { post, writes, workers, failures } = await startWriting(t);
    const early = assert.rejects(post('{}'), isComeAgain);
    await writes.stop();
    await early;
    await assert.rejects(post('{}'), isComeAgain);
    assert.ok(workers.length <= 1);
    assert.deepEqual(failures, []);
  });

  it('finishes what it was asked before it stops', async (t) => {
    const { post, writes, kept } = await startWriting(t);
    await post('{}');
    const last = post('{}');
    await Promise.all([last, writes.stop()]);
    assert.equal(await kept(), 2);
  });
});

describe('an error that goes from thread to thread', () => {
  it('is the same refusal, with what only the log is told', () => {
    const cause = Object.assign(new TypeError('why'), { code: 'ECODE' });
    const sent = new Refusal('quota_exceeded', { members: { limit: 3 }, detail: 'for the log', cause });
    const received = fromPlain(JSON.parse(JSON.stringify(toPlain(sent))));
    assert.ok(received instanceof Refusal);
    assert.equal(received.code, 'quota_exceeded');
    assert.deepEqual(received.options.members, { limit: 3 });
    assert.equal(received.options.detail, 'for the log');
    const reason = received.cause as Error & { code: unknown };
    assert.deepEqual([reason.name, reason.code, reason.stack], ['TypeError', 'ECODE', cause.stack]);
  });

  it('is still an error when what was thrown is none', () => {
    const received = fromPlain(JSON.parse(JSON.stringify(toPlain('text'))));
    assert.ok(received instanceof Error);
    assert.doesNotMatch(received.message, /text/);
  });
});
