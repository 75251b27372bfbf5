import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { globSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { after, before, describe, it } from 'node:test';
import { newDirectory } from '../support/commands/outcome.ts';
import { postgresDatabase } from '../support/databases/databases.ts';
import { canaryClaims } from '../support/faults/canaries.ts';
import {
  canaryNeedles,
  filesBelow,
  findTraces,
  type Needle,
  type Trace,
  tokenNeedles,
} from '../support/faults/traces.ts';
import { postgresUrl, surroundings } from '../support/run/surroundings.ts';
import { type DatabaseEngine, databaseEngines } from '../support/services/service.ts';
import { TestProvider } from '../support/tokens/provider.ts';
import { canarySession } from '../support/tokens/provider-documents.ts';
import { type PlantedService, plantedLogoutId, startPlanted } from './planted-service.ts';

const { runDirectory } = surroundings();
const needles = [...canaryNeedles(), ...tokenNeedles()];
const provider = await TestProvider.start();
/** Runs last: two more services get everything personal at once, and then all that the run has left is searched. */
const own = new Map<DatabaseEngine, PlantedService>();
for (const engine of databaseEngines) own.set(engine, await startPlanted(engine, provider));

after(async () => {
  for (const { service } of own.values()) await service.stop();
  await provider.stop();
});

function isClean(traces: readonly Trace[]): void {
  const lines = traces.map(({ file, name }) => `${name} in ${file.slice(runDirectory.length + 1)}`);
  assert.equal(traces.length, 0, `\n${lines.slice(0, 50).join('\n')}`);
}

describe('the trace search', () => {
  it('finds every planted value in every encoding, also across two chunks of a file', () => {
    const scratch = `${newDirectory()}/planted`;
    writeFileSync(scratch, Buffer.concat(needles.flatMap(({ bytes }) => [bytes, Buffer.from('.\n')])));
    for (const chunkBytes of [1, 64, 4096, undefined]) {
      const found = new Set(findTraces([scratch], needles, chunkBytes).map(({ name }) => name));
      for (const { name } of needles) assert.ok(found.has(name), name);
    }
    rmSync(scratch);
  });

  it('finds nothing in clean files or in the source code of the project', () => {
    const source = globSync('{src,packages,starter,collections,docs,deploy}/**', { withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => `${parentPath}/${name}`);
    assert.ok(source.length > 200);
    assert.deepEqual(findTraces(['package-lock.json', 'LICENSE', ...source], needles), []);
  });

  it('finds a planted value inside a longer encoded text', () => {
    const scratch = `${newDirectory()}/planted`;
    for (const before of ['', 'a', 'ab', 'abc']) {
      const text = `${before}{"email":"${canaryClaims.email}","more":true}`;
      for (const encoding of ['base64', 'base64url', 'hex', 'utf8', 'utf16le'] as const) {
        writeFileSync(
          scratch,
          encoding === 'utf16le' ? Buffer.from(text, encoding) : Buffer.from(text).toString(encoding),
        );
        assert.notEqual(findTraces([scratch], needles).length, 0, `${before} ${encoding}`);
      }
    }
    rmSync(scratch);
  });
});

describe('an error response', () => {
  for (const [engine, { errors }] of own) {
    it(`repeats nothing of the request, on ${engine}`, () => {
      assert.ok(errors.length > 25);
      const scratch = `${newDirectory()}/answers`;
      const texts = errors.map(({ status, headers, text }) => {
        assert.ok(status >= 400 && status < 500, `${status} ${text}`);
        return `${status}\n${JSON.stringify([...headers])}\n${text}\n`;
      });
      writeFileSync(scratch, texts.join('\n'));
      isClean(findTraces([scratch], needles));
    });
  }
});

describe('personal data in the database', () => {
  const hashes = (text: string) =>
    ['md5', 'sha1', 'sha256', 'sha512'].flatMap((algorithm) => {
      const digest = createHash(algorithm).update(text).digest();
      return [digest.toString('hex'), digest.toString('base64url'), digest.toString('base64')];
    });

  /** Inputs that an attacker who knows the caller would hash. */
  const guesses = () => {
    const { sub } = canaryClaims;
    const { origin } = provider;
    return [sub, ...['', '|', '\0', ' ', '#'].map((between) => `${origin}${between}${sub}`)];
  };

  for (const [engine, { database, id, planted, service }] of own) {
    it(`a caller is stored as a pseudonym that nothing but the master secret links to its subject, on ${engine}`, async () => {
      const rows = await database.query('select * from consumers');
      const ids = rows.map((row) => String(row.id));
      const known = [id, ...planted.people.keys()];
      assert.deepEqual(ids.toSorted(), known.toSorted(), 'control: it is what /me shows, and no other');
      for (const row of rows)
        assert.deepEqual(Object.keys(row).sort(), ['id', 'kind', 'registered_at', 'state']);
      for (const one of ids) {
        assert.match(one, /^usr_[A-Za-z0-9_-]{43}$/);
        for (const guess of guesses().flatMap(hashes)) assert.equal(one.includes(guess), false);
      }
    });

    it(`a DPoP proof is stored as a digest and an expiry, on ${engine}`, async () => {
      const rows = await database.query('select * from proofs');
      assert.equal(rows.length, 1);
      assert.deepEqual(Object.keys(rows[0] ?? {}).sort(), ['digest', 'expires_at']);
      const digest = Buffer.from(rows[0]?.digest as Uint8Array).toString('hex');
      for (const guess of hashes(canaryClaims.email)) assert.notEqual(digest, guess);
    });

    it(`a sign-out is stored as a digest with its issuer and times, on ${engine}`, async () => {
      const rows = await database.query('select * from revocations');
      assert.equal(rows.length, 3, 'two by a logout token (session, tokens without one), one by a client');
      const columns = ['forget_at', 'issued_until', 'issuer', 'moved_from', 'name', 'seq'];
      for (const row of rows) {
        assert.deepEqual(Object.keys(row).sort(), columns);
        assert.ok(['main', service.settings.BASE_URL].includes(String(row.issuer)), String(row.issuer));
        assert.match(String(row.name), /^[A-Za-z0-9_-]{43}$/);
        for (const guess of [canarySession, canaryClaims.sub].flatMap(hashes))
          assert.notEqual(row.name, guess);
      }
    });

    it(`a logout token is stored as a digest and an expiry, on ${engine}`, async () => {
      const rows = await database.query('select * from used_assertions');
      assert.equal(rows.length, 1, 'the logout token');
      for (const row of rows) {
        assert.deepEqual(Object.keys(row).sort(), ['client_id', 'digest', 'expires_at']);
        assert.equal(row.client_id, 'provider:main');
        const digest = Buffer.from(row.digest as Uint8Array).toString('hex');
        for (const guess of hashes(plantedLogoutId)) assert.notEqual(digest, guess);
      }
    });
  }

  it('the same caller has another pseudonym under another master secret', () => {
    const ids = [...own.values()].map(({ id }) => id);
    assert.equal(new Set(ids).size, databaseEngines.length);
  });
});

describe('people who invite each other', () => {
  const holdsBoth = (text: string, { people }: PlantedService['planted']) =>
    [...people].some(([id, { alias }]) =>
      text.split('\n').some((line) => line.includes(id) && line.includes(alias)),
    );

  for (const [engine, { database, planted, service }] of own) {
    it(`no answer, webhook, trace, log or metric links an alias to a pseudonym, on ${engine}`, async () => {
      const { people, webhooks } = planted;
      const spans = readFileSync(`${service.settings.TEST_DIRECTORY}/spans.jsonl`, 'utf8');
      assert.ok(spans.includes('/invitations'), 'control: the requests were traced');
      for (const [id, { alias, sent }] of people) {
        assert.ok(webhooks.includes(alias) || sent.includes(alias), 'control: the alias is known');
        for (const [other, { sent: toOther }] of people)
          assert.ok(other === id || !toOther.includes(id), 'a pseudonym that another person was sent');
      }
      for (const text of [
        webhooks,
        spans,
        JSON.stringify(service.logLines(), null, 1),
        await service.metrics(),
      ])
        assert.ok(!holdsBoth(text, planted));
    });

    it(`only the members table holds alias and pseudonym in one row, on ${engine}`, async () => {
      const { people } = planted;
      for (const table of await database.tables()) {
        const rows = (await database.query(`select * from ${table}`)).map((row) =>
          Object.values(row)
            .map((value) =>
              ArrayBuffer.isView(value)
                ? `per_${Buffer.from(value as Uint8Array).toString('base64url')}`
                : `${value}`,
            )
            .join(' '),
        );
        const linked = rows.filter((row) => holdsBoth(row, planted));
        // Cleo has left, and owners are not members.
        assert.equal(linked.length, table === 'members' ? people.size - 2 : 0, table);
      }
    });
  }
});

describe('the files that the whole test run leaves', () => {
  let files: string[] = [];
  /** What no file may hold: personal data, tokens, and the invitation codes. */
  let forbidden: Needle[] = [];
  const ending = (...endings: string[]) => files.filter((file) => endings.some((end) => file.endsWith(end)));
  const databaseFiles = () => ending('.db', '.db-wal', '.db-shm', '.db-journal', '.secret');
  const inPostgres = () => files.filter((file) => file.startsWith(`${runDirectory}/postgres/`));
  before(async () => {
    // While they run: the write-ahead logs hold what was written last. PostgreSQL writes out its pages on demand.
    forbidden = [...needles, ...[...own.values()].flatMap(({ planted }) => planted.codes)];
    isClean(findTraces(filesBelow(`${runDirectory}/services`), forbidden));
    await postgresDatabase(await postgresUrl()).query('checkpoint');
    for (const { service } of own.values()) await service.stop();
    files = filesBelow(runDirectory);
  });

  it('include both databases with their callers, logs, metrics, traces, streams and outputs', async () => {
    const [sqlite, postgres] = [...own.values()];
    const traceOf = (id = '') => [{ name: id, bytes: Buffer.from(id) }];
    assert.equal(findTraces(ending('.db'), traceOf(sqlite?.id)).length, 1, 'the caller in one SQLite file');
    const oidOf = 'select oid from pg_database where datname = current_database()';
    const [row] = (await postgres?.database.query(oidOf)) ?? [];
    const tables = inPostgres().filter((file) => file.includes(`/base/${row?.oid}/`));
    const log = inPostgres().filter((file) => file.includes('/pg_wal/'));
    assert.ok(findTraces(tables, traceOf(postgres?.id)).length > 0, 'the caller in a table of PostgreSQL');
    assert.ok(findTraces(log, traceOf(postgres?.id)).length > 0, 'the caller in the log of PostgreSQL');
    for (const end of ['.log', '.metrics', '.out']) assert.ok(ending(end).length > 0, end);
    assert.ok(ending('spans.jsonl', '/sent').length >= 2 * databaseEngines.length);
    assert.ok(Number(sqlite?.service.logLines().length) > 25, 'a line for every request');
  });

  it('the files of SQLite hold no personal data, token or invitation code', () => {
    isClean(findTraces(databaseFiles(), forbidden));
  });

  it('the data and the write-ahead log of PostgreSQL hold no personal data, token or invitation code', () => {
    isClean(findTraces(inPostgres(), forbidden));
  });

  it('logs at level "trace" and standard error hold no personal data, token or invitation code', () => {
    const logs = ending('.log', '.stderr');
    isClean(findTraces(logs, forbidden));
    // The beginning of a JWT. A random request id of 12 characters can contain the first three of it.
    for (const file of ending('.log')) assert.doesNotMatch(readFileSync(file, 'utf8'), /eyJ[\w-]{12}/, file);
  });

  it('the metrics hold no personal data, token or invitation code, and have few labels', () => {
    const metrics = ending('.metrics');
    isClean(findTraces(metrics, forbidden));
    for (const file of metrics) {
      const text = readFileSync(file, 'utf8');
      const routes = new Set([...text.matchAll(/route="([^"]*)"/g)].map(([, route]) => route));
      // The route table, collections of the tests included; never an address as it was sent.
      const byCollection = Map.groupBy(routes, (route) => String(route).split('/', 5).join('/'));
      for (const [first, own] of byCollection) assert.ok(own.length <= 20, `${first}: ${own.join(', ')}`);
      for (const route of routes) assert.doesNotMatch(String(route), /[?%]|[0-9a-f]{8}-/);
      // Some stand there under their former names once more.
      const ours = text.split('\n').filter((line) => line.startsWith('vestibule_'));
      assert.ok(ours.length < 2_000 + 20 * routes.size, `${file} has ${ours.length} lines`);
    }
  });

  it('all other files hold no personal data, token or invitation code', () => {
    const searched = new Set([...databaseFiles(), ...inPostgres(), ...ending('.log', '.stderr', '.metrics')]);
    const others = files.filter((file) => !searched.has(file));
    isClean(findTraces(others, forbidden));
  });
});
