import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { assertLines, examined, healthySettings } from '../support/examined.ts';
import { endOf, refused } from '../support/outcome.ts';
import { plainSql } from '../support/plain-sql.ts';
import { newRole } from '../support/postgres-roles.ts';
import type { Settings } from '../support/service.ts';
import { surroundings } from '../support/surroundings.ts';

/** What the owner of the database has left the role of the service without. */
const without: Record<string, readonly string[]> = {
  'the right to make tables, as PostgreSQL comes': [],
  'any right on the schema public': ['revoke all on schema public from public'],
};

for (const [what, statements] of Object.entries(without)) {
  describe(`a PostgreSQL role without ${what}`, () => {
    async function withoutRights(): Promise<{ settings: Settings; grant: string; owner: Settings }> {
      const owner = await healthySettings({ IDP_ORIGIN: surroundings().mockOrigin }, 'postgres');
      for (const statement of statements) await plainSql(owner).query(statement);
      const { url, role } = await newRole(owner);
      const grant = `GRANT USAGE, CREATE ON SCHEMA public TO ${role};`;
      return { settings: { ...owner, DATABASE_URL: url }, grant, owner };
    }

    it('is told of by the service in one sentence, whose statement helps', async () => {
      const { settings, grant, owner } = await withoutRights();
      const outcome = await endOf(settings, ['serve']);
      refused(
        outcome,
        /DATABASE_URL cannot be used: the role role_\w+ may not make tables in the schema public\. Have/,
      );
      assert.ok(outcome.stderr.includes(grant), outcome.stderr);
      await plainSql(owner).query(grant);
      assert.equal((await endOf(settings, ['client', 'add', 'billing'])).code, 0);
    });

    it('is told of by the doctor', async () => {
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

describe('a PostgreSQL role that may not read our tables', () => {
  it('is told of in one sentence', async () => {
    const owner = await healthySettings({}, 'postgres');
    assert.equal((await endOf(owner, ['client', 'add', 'billing'])).code, 0);
    const { url } = await newRole(owner);
    const outcome = await endOf({ ...owner, DATABASE_URL: url }, ['client', 'list']);
    refused(outcome, /DATABASE_URL cannot be used: .*permission denied for table schema_migrations/);
  });
});
