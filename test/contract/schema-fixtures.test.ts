import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { migrations, newestVersion } from '../../src/storage/migrations.ts';
import { ApiCaller } from '../support/api-caller.ts';
import { newSqliteFile, sqliteDatabase } from '../support/databases.ts';
import { endOf, succeeded } from '../support/outcome.ts';
import { plainSql } from '../support/plain-sql.ts';
import { TestProvider } from '../support/provider.ts';
import {
  clientId,
  fixtureSettings,
  fixtureVersions,
  issuer,
  loadFixture,
  noteText,
  subjects,
} from '../support/schema-fixture.ts';
import { addClient, databaseEngines, startService } from '../support/service.ts';
import { tokenOf } from '../support/token-endpoint.ts';

for (const version of fixtureVersions) {
  for (const engine of databaseEngines) {
    describe(`a database of a release with schema version ${version}, on ${engine}`, () => {
      it('is migrated, and all that is in it is there as before', async () => {
        const provider = await TestProvider.start();
        const settings = await fixtureSettings(engine, provider);
        await loadFixture(engine, settings, version);
        const { query, tables } = plainSql(settings);
        const kept = [
          'records',
          'usage',
          'events',
          'consumers',
          'idempotency_keys',
          'client_secrets',
          'audit',
        ];
        const rowsOf = async () =>
          Promise.all(kept.map((table) => query(`select count(*) as count from ${table}`)));
        const before = await rowsOf();
        const service = await startService(settings);
        try {
          const versions = await query('select max(version) as version from schema_migrations');
          assert.equal(Number(versions[0]?.version), newestVersion);
          assert.deepEqual(await rowsOf(), before);
          assert.ok((await tables()).includes('records'));
          const caller = async (sub: string) =>
            new ApiCaller(service.url, await provider.token({ iss: issuer, sub }));
          const active = await caller(subjects.active);
          const [note, ...others] = (await active.all('notes')).filter(({ text }) => text === noteText);
          assert.ok(note !== undefined && others.length === 0);
          const [booking] = await active.all('bookings');
          assert.equal(booking?.state, 'submitted');
          assert.equal((await active.usage('notes')).records.used, 2);
          const changed = await active.send('PATCH', `/notes/${note.id}`, { done: true });
          assert.equal(changed.status, 200, changed.text);
          const log = (await active.get('/events?after=0')).json<{ items: { type: string }[] }>();
          assert.ok(log.items.some(({ type }) => type === 'bookings.submitted'));
          assert.equal((await (await caller(subjects.suspended)).get('/me')).status, 403);
        } finally {
          await service.stop();
          await provider.stop();
        }
      });

      it('keeps its clients, webhooks and signing keys genuine', async () => {
        const provider = await TestProvider.start();
        const settings = await fixtureSettings(engine, provider, { WEBHOOK_ALLOW: 'loopback' });
        await loadFixture(engine, settings, version);
        const jsonOf = async (...parameters: string[]) =>
          JSON.parse(succeeded(await endOf(settings, [...parameters, '--json'])));
        succeeded(await endOf(settings, ['migrate']));
        const [client] = await jsonOf('client', 'list');
        assert.deepEqual([client.client_id, client.genuine], [clientId, true]);
        const [webhook] = await jsonOf('webhook', 'list');
        assert.deepEqual([webhook.state, webhook.genuine], ['active', true]);
        const keys = await jsonOf('keys', 'list');
        assert.equal(keys.length, 2);
        const service = await startService(settings);
        try {
          const secret = await addClient(settings, 'new-client');
          await tokenOf(service.url, { id: 'new-client', secret });
          const published = await (await fetch(`${service.url}/.well-known/jwks.json`)).json();
          const kids = (published as { keys: { kid: string }[] }).keys.map(({ kid }) => kid);
          const kept = new Set(keys.map(({ kid }: { kid: string }) => kid));
          assert.ok(
            kids.length > 0 && kids.every((kid) => kept.has(kid)),
            'it signs with the key that it had',
          );
        } finally {
          await service.stop();
          await provider.stop();
        }
      });
    });
  }
}

it('no step gives a large table a column on SQLite, which would look through all its rows meanwhile', async () => {
  const before = newSqliteFile();
  await loadFixture('sqlite', { DATABASE_URL: `sqlite:${before}` });
  const large =
    "select name, sql from sqlite_schema where type = 'table' and name in ('records', 'events') order by name";
  const known = await sqliteDatabase(before).query(large);
  await (await sqliteDatabase(before).open()).close();
  assert.equal(known.length, 2);
  assert.deepEqual(await sqliteDatabase(before).query(large), known);
  for (const { version, kind, needs } of migrations)
    assert.equal(kind === 'contract', needs !== undefined, `step ${version} says from which version on`);
});

it('the fixtures have not been forgotten: the schema of some release is among them', () => {
  assert.ok(fixtureVersions.length > 0);
  assert.ok(fixtureVersions.every((version) => version <= newestVersion));
});
