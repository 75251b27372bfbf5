import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { openAdministration } from '../../src/administration.ts';
import { OperatorError } from '../../src/base/errors.ts';
import { loadStorageConfig } from '../../src/config/load.ts';
import { newSqliteFile } from '../support/databases.ts';
import { newMasterSecret } from '../support/master-secret.ts';
import { endOf, refused } from '../support/outcome.ts';
import { freePort } from '../support/ports.ts';
import { createDatabase, direct } from '../support/postgres.ts';
import { postgresUrl } from '../support/surroundings.ts';

const wrongPassword = 'wrong-password-4711';

/** Databases that cannot be used, and what the one sentence has to name. */
const unusable: Record<string, { url(): Promise<string>; says: RegExp }> = {
  'a PostgreSQL that nobody has started': {
    url: async () => `postgres://vestibule:${wrongPassword}@127.0.0.1:${await freePort()}/vestibule`,
    says: /DATABASE_URL.*ECONNREFUSED/,
  },
  'a PostgreSQL that does not take the password': {
    url: async () => (await postgresUrl()).replace(/:[^:@]+@/, `:${wrongPassword}@`),
    says: /DATABASE_URL.*28P01/,
  },
  'a PostgreSQL without that database': {
    url: async () => (await direct(await createDatabase())).replace(/test_\w+$/, 'no_such_database'),
    says: /DATABASE_URL.*3D000/,
  },
  'an SQLite file in a folder that cannot be made': {
    url: async () => `sqlite:${aFile('in the way')}/vestibule.db`,
    says: /vestibule\.db/,
  },
  'an SQLite file that is something else': {
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

    for (const command of [['client', 'list'], ['serve']]) {
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
