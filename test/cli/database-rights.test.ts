import assert from 'node:assert/strict';
import { chmodSync, readdirSync } from 'node:fs';
import { after, before, describe, it } from 'node:test';
import { assertLines, examined, healthySettings } from '../support/commands/examined.ts';
import { endOf, newDirectory, refused, succeeded } from '../support/commands/outcome.ts';
import { plainSql } from '../support/databases/plain-sql.ts';
import { part } from '../support/run/surroundings.ts';
import type { Settings } from '../support/services/service.ts';
import { newRole } from './postgres-roles.ts';

/** Root can read everything unless it drops that right; no other user can open a folder without permissions. */
const withoutOverride =
  process.getuid?.() === 0 ? ['setpriv', '--bounding-set=-dac_override,-dac_read_search', '--'] : [];

/** What each command prints about files that only another user may read. */
const said =
  /vestibule\.db" \(DATABASE_URL\) cannot be used: this user .*may not read it.*\. Run .* as its owner, the user with the id \d+\./;

for (const what of ['folder', 'file'] as const) {
  describe(`an SQLite ${what} that belongs to another user`, () => {
    let settings: Settings;
    let place = '';
    const end = (...command: string[]) => endOf(settings, command, newDirectory(), withoutOverride);
    before(async () => {
      settings = await healthySettings({
        IDP_ORIGIN: (await part('providers')).mockOrigin,
        IDP_JWKS_PATH: '/jwks',
      });
      succeeded(await endOf(settings, ['client', 'add', 'billing']));
      const folder = String(settings.TEST_DIRECTORY);
      place = what === 'folder' ? folder : `${folder}/vestibule.db`;
      chmodSync(place, 0);
    });
    after(() => chmodSync(place, 0o700));

    for (const command of [['client', 'list'], ['client', 'add', 'another'], ['serve']]) {
      it(`${command.join(' ')} names the owner to run as`, async () => refused(await end(...command), said));
    }

    it('doctor reports the missing permission and offers no new database', async () => {
      const { code, stdout } = await end('doctor');
      assert.equal(code, 1);
      const says = /^FAIL {2}database +this user .*may not read it.*as its owner, the user with the id/m;
      assert.match(stdout, says);
      assert.doesNotMatch(stdout, /will be made|No check failed/);
    });

    it('the files are unchanged', () => {
      chmodSync(place, 0o700);
      const names = readdirSync(String(settings.TEST_DIRECTORY)).filter((name) =>
        name.startsWith('vestibule'),
      );
      assert.deepEqual(names.sort(), ['vestibule.db', 'vestibule.db.erasures', 'vestibule.db.secret']);
    });
  });
}

/** Rights that the role of the service lacks. */
const without: Record<string, readonly string[]> = {
  'CREATE on the schema public (the default)': [],
  'any right on the schema public': ['revoke all on schema public from public'],
};

for (const [what, statements] of Object.entries(without)) {
  describe(`a PostgreSQL role without ${what}`, () => {
    async function withoutRights(): Promise<{ settings: Settings; grant: string; owner: Settings }> {
      const owner = await healthySettings({ IDP_ORIGIN: (await part('providers')).mockOrigin }, 'postgres');
      for (const statement of statements) await plainSql(owner).query(statement);
      const { url, role } = await newRole(owner);
      const grant = `GRANT USAGE, CREATE ON SCHEMA public TO ${role};`;
      return { settings: { ...owner, DATABASE_URL: url }, grant, owner };
    }

    it('serve names the missing right and the GRANT statement that fixes it', async () => {
      const { settings, grant, owner } = await withoutRights();
      const outcome = await endOf(settings, ['serve']);
      const says =
        /DATABASE_URL cannot be used: the role role_\w+ may not make tables in the schema public\. Have/;
      refused(outcome, says);
      assert.ok(outcome.stderr.includes(grant), outcome.stderr);
      await plainSql(owner).query(grant);
      assert.equal((await endOf(settings, ['client', 'add', 'billing'])).code, 0);
    });

    it('doctor reports the missing right with the GRANT statement', async () => {
      const { settings, grant } = await withoutRights();
      const findings = await examined({ ...settings, IDP_JWKS_PATH: '/jwks' });
      const said = findings.filter(({ name }) => name === 'schema');
      assertLines(said, 'fail', [
        /^FAIL {2}schema +the role role_\w+ may not make tables in the schema public; .*GRANT/,
      ]);
      assert.ok(said[0]?.advice?.includes(grant));
    });
  });
}

/** A used database, and a role with these rights that is not its owner. */
async function inUse(...rights: readonly string[]) {
  const owner = await healthySettings(
    { IDP_ORIGIN: (await part('providers')).mockOrigin, IDP_JWKS_PATH: '/jwks' },
    'postgres',
  );
  succeeded(await endOf(owner, ['client', 'add', 'billing']));
  const { url, role } = await newRole(owner);
  for (const right of rights) await plainSql(owner).query(`grant ${right} to ${role}`);
  return { owner, settings: { ...owner, DATABASE_URL: url } };
}

/** Runs the statements from the message as the owner. */
async function follow(owner: Settings, text: string): Promise<void> {
  const [, statements = ''] = /the owner of the database run: (GRANT .*;)$/.exec(text.trim()) ?? [];
  assert.notEqual(statements, '', text);
  await plainSql(owner).query(statements);
}

it('client list of a PostgreSQL role without rights names the GRANT statement that fixes it', async () => {
  const { owner, settings } = await inUse();
  const outcome = await endOf(settings, ['client', 'list']);
  const says =
    /DATABASE_URL cannot be used: the role role_\w+ may not SELECT in the tables .*clients.*\. Have/;
  refused(outcome, says);
  await follow(owner, outcome.stderr);
  assert.match(succeeded(await endOf(settings, ['client', 'list'])), /billing/);
});

describe('a PostgreSQL role that can create tables but not use the existing ones', () => {
  for (const command of [['serve'], ['client', 'add', 'another']]) {
    it(`${command.join(' ')} names the GRANT statements that fix it`, async () => {
      const { owner, settings } = await inUse('usage, create on schema public');
      const outcome = await endOf(settings, command);
      const says =
        /cannot be used: the role role_\w+ may not SELECT, INSERT, UPDATE, DELETE in the tables .*documents.*\. Have/;
      refused(outcome, says);
      await follow(owner, outcome.stderr);
      succeeded(await endOf(settings, ['client', 'add', 'another']));
    });
  }
});

it('doctor reports that a role that can only read cannot serve, until the GRANT statements are run', async () => {
  const { owner, settings } = await inUse('select on all tables in schema public');
  const findings = await examined(settings);
  assertLines(findings, 'fail', [
    /^FAIL {2}rights +the service can read, but not serve: the role role_\w+ may not make tables in the schema public, and may not INSERT, UPDATE, DELETE in the tables .*; expected .*GRANT/,
  ]);
  await follow(owner, findings.find(({ name }) => name === 'rights')?.advice ?? '');
  assertLines(await examined(settings), 'fail', []);
  succeeded(await endOf(settings, ['client', 'add', 'another']));
});
