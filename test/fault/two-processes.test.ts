import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createDatabase, pooled } from '../support/databases/postgres.ts';
import { plainNotes } from '../support/services/declarations.ts';
import { atOnce, deployment } from '../support/services/deployment.ts';
import { assertShutOutInTime } from '../support/tokens/shut-out.ts';

const declarations = { notes: plainNotes(280) };

describe('two processes behind PgBouncer in transaction mode, with five sessions', () => {
  const two = deployment(async () => ({
    engine: 'postgres',
    processes: 2,
    declarations,
    settings: { DATABASE_URL: await pooled(await createDatabase()) },
  }));

  it('serve callers, records and tokens', async () => {
    const caller = await two().person();
    const other = caller.at(two().serviceAt(1));
    const { record } = await caller.make('notes', { text: 'first' });
    assert.equal((await other.get(`/notes/${record.id}`)).status, 200);
    assert.equal((await other.send('DELETE', `/notes/${record.id}`)).status, 204);
    assert.equal((await caller.get(`/notes/${record.id}`)).status, 404);
    assert.equal((await caller.get('/me')).status, 200);
    assert.equal((await other.get('/events')).status, 200);
    const client = await two().addClient('machine');
    for (const token of await two().tokens(client)) await two().letIn([token]);
  });

  it('lose and duplicate nothing of many concurrent writes and reads', async () => {
    const people = await atOnce(20, () => two().person());
    await atOnce(20, async (index) => {
      const person = (people[index] ?? assert.fail()).at(two().serviceAt(index));
      for (let count = 0; count < 10; count += 1) {
        const { record } = await person.make('notes', { text: `${count}` });
        assert.equal((await person.get(`/notes/${record.id}`)).status, 200);
      }
    });
    for (const person of people) {
      const texts = (await person.all('notes')).map(({ text }) => text);
      assert.equal(new Set(texts).size, 10);
      assert.equal(texts.length, 10);
    }
  });

  it('refuse a suspended caller within a second', () => assertShutOutInTime(two()));

  it('log at most one warning, about prepared statements', () => {
    for (const service of two().services) {
      const warnings = service
        .logLines()
        .filter(({ level }) => Number(level) >= 40)
        .map(({ msg }) => String(msg))
        .filter((msg) => msg !== 'requests are refused');
      // PgBouncer 1.21 and later may track them.
      assert.ok(warnings.length <= 1, warnings.join('\n'));
      for (const warning of warnings) assert.match(warning, /has lost a prepared statement/);
    }
  });
});

describe('[F156] a suspended caller, on one SQLite file that two processes write to', () => {
  const two = deployment({ processes: 2, declarations });

  it('is refused by both within a second during full write load', async () => {
    let isOver = false;
    const people = await atOnce(16, () => two().person());
    let written = 0;
    const writing = atOnce(16, async (index) => {
      const person = (people[index] ?? assert.fail()).at(two().serviceAt(index));
      while (!isOver) {
        const { status } = await person.send('POST', '/notes', { text: 'again' });
        if (status === 201) written += 1;
      }
    });
    try {
      await assertShutOutInTime(two());
    } finally {
      isOver = true;
      await writing;
    }
    assert.ok(written > 100, `control: only ${written} were written`);
  });
});
