import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { OperatorError } from '../../src/base/errors.ts';
import { openAdministration } from '../../src/compose/administration.ts';
import { loadStorageConfig } from '../../src/config/load.ts';
import { waitForServer } from '../../src/storage/postgres/wait-for-server.ts';
import { endOf, refused } from '../support/commands/outcome.ts';
import { newSqliteFile } from '../support/databases/databases.ts';
import { createDatabase, direct } from '../support/databases/postgres.ts';
import { Relay } from '../support/faults/relay.ts';
import { until } from '../support/run/polling.ts';
import { freePort } from '../support/run/ports.ts';
import { postgresUrl } from '../support/run/surroundings.ts';
import { newMasterSecret } from '../support/services/master-secret.ts';
import { newSettings, ownProcess, startService } from '../support/services/service.ts';
import { TestProvider } from '../support/tokens/provider.ts';

const wrongPassword = 'wrong-password-4711';

/** Databases that cannot be used, and what the error message must name. */
const unusable: Record<string, { url(): Promise<string>; says: RegExp }> = {
  'a PostgreSQL that is not running': {
    url: async () => `postgres://vestibule:${wrongPassword}@127.0.0.1:${await freePort()}/vestibule`,
    says: /DATABASE_URL.*ECONNREFUSED/,
  },
  'a PostgreSQL that refuses the password': {
    url: async () => (await postgresUrl()).replace(/:[^:@]+@/, `:${wrongPassword}@`),
    says: /DATABASE_URL.*28P01/,
  },
  'a PostgreSQL without that database': {
    url: async () => (await direct(await createDatabase())).replace(/test_\w+$/, 'no_such_database'),
    says: /DATABASE_URL.*3D000/,
  },
  'an SQLite file in a folder that cannot be created': {
    url: async () => `sqlite:${aFile('in the way')}/vestibule.db`,
    says: /vestibule\.db/,
  },
  'an SQLite file that is not a database': {
    url: async () => `sqlite:${aFile('not a database '.repeat(500))}`,
    says: /vestibule\.db.*not an SQLite database/,
  },
  'an SQLite file that is a folder': {
    url: async () => `sqlite:${aFolder()}`,
    says: /vestibule\.db.*cannot be (opened|used)/,
  },
};

for (const [name, { url, says }] of Object.entries(unusable)) {
  describe(name, () => {
    it('[F155] is reported as one sentence for the operator', async () => {
      const config = loadStorageConfig({ DATABASE_URL: await url(), MASTER_SECRET: newMasterSecret() });
      await assert.rejects(openAdministration(config, 'test'), (error) => {
        assert.ok(error instanceof OperatorError, String(error));
        isOneSentence(error.message, says);
        return true;
      });
    });

    // `serve` waits for a server that refuses connections: see below.
    const isAwaited = says.source.includes('ECONNREFUSED');
    for (const command of [['client', 'list'], ...(isAwaited ? [] : [['serve']])]) {
      it(`ends "vestibule ${command.join(' ')}" with exit code 1 and that sentence`, async () => {
        const settings = {
          DATABASE_URL: await url(),
          MASTER_SECRET: newMasterSecret(),
          IDP_ORIGIN: 'http://127.0.0.1:9',
          API_AUDIENCE: 'x',
          BASE_URL: 'http://127.0.0.1/vestibule',
          PORT: '0',
          OPS_PORT: '0',
        };
        const outcome = await endOf(settings, command);
        refused(outcome, says);
        isOneSentence(outcome.stderr.trimEnd(), says);
      });
    }
  });
}

describe('a PostgreSQL that is not started yet', () => {
  const nobody = new URL('tcp://127.0.0.1:9');

  it('[F155] is awaited by "vestibule serve", which logs it once', async () => {
    const provider = await TestProvider.start();
    const url = new URL(await createDatabase());
    const target = new URL(url);
    const relay = await Relay.start(nobody);
    url.port = String(relay.port);
    try {
      const settings = { ...provider.settings, ...ownProcess, DATABASE_URL: url.href };
      const starting = startService(await newSettings('postgres', settings));
      await until(() => relay.accepted >= 2, Boolean, 'it does not try again');
      relay.leadTo(target);
      const service = await starting;
      assert.equal((await fetch(`${service.opsUrl}/readyz`)).status, 200);
      const lines = service.logLines().filter(({ msg }) => msg === 'waiting for the database');
      // A connection that is cut may be reset or closed.
      const kinds = new Set(lines.map(({ detail }) => detail));
      assert.ok(lines.length > 0);
      assert.equal(lines.length, kinds.size, 'one line for each kind of failure');
      await service.stop();
    } finally {
      await relay.stop();
      await provider.stop();
    }
  });

  it('is awaited for a minute', async () => {
    let time = 0;
    const pauses: number[] = [];
    await waitForServer(`postgres://127.0.0.1:${await freePort()}/vestibule`, {
      onFailure: () => {},
      monotonic: () => time,
      async pause(milliseconds) {
        pauses.push(milliseconds);
        time += milliseconds;
      },
    });
    assert.ok(time > 50_000 && time <= 60_000, `${time} ms`);
    assert.deepEqual(
      pauses,
      [...pauses].sort((one, other) => one - other),
    );
  });
});

function isOneSentence(text: string, says: RegExp): void {
  assert.match(text, says);
  assert.match(text, /[.]$/);
  assert.doesNotMatch(text, /\n|This is a bug/);
  assert.equal(text.includes(wrongPassword), false, 'no password is repeated');
}

function aFile(content: string): string {
  const file = newSqliteFile();
  writeFileSync(file, content);
  return file;
}

function aFolder(): string {
  const file = newSqliteFile();
  mkdirSync(file);
  return file;
}
