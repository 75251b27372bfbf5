import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { after, describe, it } from 'node:test';
import { SignJWT } from 'jose';
import { endOf, refused, succeeded } from '../support/commands/outcome.ts';
import { plainSql } from '../support/databases/plain-sql.ts';
import { ApiCaller } from '../support/http/api-caller.ts';
import { until } from '../support/run/polling.ts';
import { declarationsFolder } from '../support/services/declarations.ts';
import { newMasterSecret } from '../support/services/master-secret.ts';
import {
  addClient,
  type DatabaseEngine,
  databaseEngines,
  newSettings,
  runVestibule,
  type Settings,
  startService,
} from '../support/services/service.ts';
import { ownSigningKey } from '../support/tokens/own-signing-key.ts';
import { TestProvider } from '../support/tokens/provider.ts';
import { tokenOf } from '../support/tokens/token-endpoint.ts';

const declarations = { notes: 'schema: { properties: { text: { type: string, maxLength: 280 } } }' };
const provider = await TestProvider.start();
after(() => provider.stop());
const idOf = async (caller: ApiCaller) => (await caller.get('/me')).json<{ id: string }>().id;

/** Tests the statements of docs/runbooks.md: automatic recovery, and the effects of its steps. */
for (const engine of databaseEngines)
  describe(`the runbooks, on ${engine}`, () => {
    const place = (changes: Settings = {}) => newPlace(engine, { ...provider.settings, ...changes });
    const tokenFor = (sub: string, from = provider) => from.token({ sub });

    it('lost master secret: a running process keeps working, and no process can start', async () => {
      const settings = await place();
      const secretFile = String(settings.MASTER_SECRET_FILE);
      const service = await startService(settings);
      const caller = new ApiCaller(service.url, await tokenFor('ada'));
      const id = await idOf(caller);
      await caller.make('notes', { text: 'kept' });
      const secret = readFileSync(secretFile, 'utf8');
      rmSync(secretFile);

      assert.match((await caller.get('/me/export')).text, /"text":"kept"/);
      const newcomer = new ApiCaller(service.url, await tokenFor('somebody new'));
      await newcomer.make('notes', { text: 'also kept' });
      refused(await endOf(settings, ['serve']), /MASTER_SECRET_FILE\) cannot be read \(ENOENT\)/);
      writeFileSync(secretFile, newMasterSecret());
      refused(await endOf(settings, ['serve']), /was made with another master secret\./);
      await service.stop();

      writeFileSync(secretFile, secret);
      const again = await startService(settings);
      assert.equal(await idOf(caller.at(again)), id, 'with the right one everything is as before');
      await again.stop();

      // Anyone who knows its pseudonym can still give it its records, in the database.
      const [row] = await plainSql(settings).query(`select body from records where owner = '${id}'`);
      assert.match(String(row?.body), /kept/);
    });

    it('leaked master secret: callers carry their records over to a new database', async () => {
      const [old, fresh] = await Promise.all([place().then(startService), place().then(startService)]);
      const caller = new ApiCaller(old.url, await tokenFor('ada'));
      await caller.make('notes', { text: 'carried over' });
      const there = caller.at(fresh);
      assert.notEqual(await idOf(there), await idOf(caller));
      await carryOver(caller, there);
      assert.deepEqual(textsOf(await there.all('notes')), ['carried over']);
      await Promise.all([old.stop(), fresh.stop()]);
    });

    it('changed provider: callers get new pseudonyms and carry their records over', async () => {
      const other = await TestProvider.start();
      const settings = await place();
      const before = await startService(settings);
      const after = await startService({ ...settings, ...other.settings });
      try {
        const caller = new ApiCaller(before.url, await tokenFor('ada'));
        await caller.make('notes', { text: 'moved' });
        const same = new ApiCaller(after.url, await tokenFor('ada', other));
        assert.notEqual(await idOf(same), await idOf(caller), 'the same subject of another issuer');
        assert.deepEqual(await same.all('notes'), []);
        const oldToken = await caller.at(after).get('/me');
        assert.equal(oldToken.json<{ code: string }>().code, 'issuer_mismatch');
        await carryOver(caller, same);
        assert.equal((await caller.send('DELETE', '/me')).status, 200);
        assert.deepEqual(textsOf(await same.all('notes')), ['moved']);
      } finally {
        await Promise.all([before.stop(), after.stop()]);
        await other.stop();
      }
    });

    it('changed BASE_URL: clients get new pseudonyms, people keep theirs', async () => {
      const settings = await place();
      const credentials = { id: 'machine', secret: await addClient(settings, 'machine') };
      const ids = async (changes: Settings) => {
        const service = await startService({ ...settings, ...changes });
        const machine = new ApiCaller(service.url, await tokenOf(service.url, credentials));
        const person = new ApiCaller(service.url, await tokenFor('ada'));
        const found = { machine: await idOf(machine), person: await idOf(person) };
        await service.stop();
        return found;
      };
      const before = await ids({});
      const after = await ids({ BASE_URL: 'http://127.0.0.1/elsewhere' });
      assert.notEqual(after.machine, before.machine);
      assert.equal(after.person, before.person);
    });

    it('leaked signing key: forged tokens end with the key, or at once for a disabled client', async () => {
      const settings = await place();
      await addClient(settings, 'machine');
      const service = await startService(settings);
      const [client] = await clientsOf(settings);
      const key = await ownSigningKey(settings);
      const forge = async () =>
        new ApiCaller(
          service.url,
          await new SignJWT({ client_id: 'machine', jti: `${client?.secrets[0]?.secret_id}.${randomUUID()}` })
            .setProtectedHeader({ alg: key.algorithm, kid: key.kid, typ: 'at+jwt' })
            .setIssuer(String(settings.BASE_URL))
            .setSubject('machine')
            .setAudience(String(settings.API_AUDIENCE))
            .setIssuedAt()
            .setExpirationTime('1y')
            .sign(key.privateKey),
        );
      const forged = await forge();
      assert.equal((await forged.get('/me')).status, 200);
      succeeded(await runVestibule(settings, 'keys', 'rotate', '--now'));
      assert.equal((await (await forge()).get('/me')).status, 200, 'the key still verifies');
      succeeded(await runVestibule(settings, 'client', 'disable', 'machine'));
      await becomes(forged, 403);
      succeeded(await runVestibule(settings, 'client', 'enable', 'machine'));
      await becomes(forged, 200);
      await service.advance(661_000);
      await becomes(forged, 403);
      assert.equal((await forged.get('/me')).json<{ code: string }>().code, 'key_unknown');
      await service.stop();
    });
  });

/** Settings with the master secret in a file, as an operator has them. */
async function newPlace(engine: DatabaseEngine, changes: Settings): Promise<Settings> {
  const { MASTER_SECRET: _, ...settings } = await newSettings(engine, {
    COLLECTIONS_DIR: declarationsFolder(declarations),
    ...changes,
  });
  const file = `${settings.TEST_DIRECTORY}/master-secret`;
  writeFileSync(file, newMasterSecret(), { mode: 0o600 });
  return { ...settings, MASTER_SECRET_FILE: file };
}

/** What a frontend does for a user who holds a token of both. */
async function carryOver(from: ApiCaller, to: ApiCaller): Promise<void> {
  const { text } = await from.get('/me/export');
  const lines = text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  assert.equal(lines.at(-1).type, 'end', 'a whole export');
  for (const { type, collection, record } of lines) {
    if (type !== 'record') continue;
    const { id: _, created_at: _created, updated_at: _updated, ...fields } = record;
    await to.make(collection, fields);
  }
}

const textsOf = (records: readonly { readonly [field: string]: unknown }[]) =>
  records.map(({ text }) => text);

async function clientsOf(settings: Settings) {
  const clients = succeeded(await runVestibule(settings, 'client', 'list', '--json'));
  return JSON.parse(clients) as { readonly secrets: readonly { readonly secret_id: string }[] }[];
}

const becomes = (caller: ApiCaller, status: number) =>
  until(async () => (await caller.get('/me')).status, status, `it does not become ${status}`);
