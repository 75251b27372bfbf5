import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { refused, succeeded } from '../support/outcome.ts';
import { TestProvider } from '../support/provider.ts';
import { request, withToken } from '../support/request.ts';
import {
  databaseEngines,
  me,
  newSettings,
  runVestibule,
  type Service,
  type Settings,
  startService,
} from '../support/service.ts';

const secretForm = /^vsec_[A-Za-z0-9_-]{43}$/;

for (const engine of databaseEngines) {
  describe(`vestibule client on ${engine}`, () => {
    let provider: TestProvider;
    let settings: Settings;
    let service: Service;
    /** Everything the commands printed, but for the answers that show a new secret. */
    let printed = '';
    const secrets: string[] = [];
    before(async () => {
      provider = await TestProvider.start();
      settings = await newSettings(engine, provider.settings);
      service = await startService(settings);
    });
    after(async () => {
      await service.stop();
      await provider.stop();
    });

    const client = async (...parameters: string[]) => {
      const outcome = await runVestibule(settings, 'client', ...parameters);
      printed += outcome.stderr + (parameters[0] === 'add' ? '' : outcome.stdout);
      return outcome;
    };
    const add = async (id: string, ...options: string[]) => {
      const added = JSON.parse(succeeded(await client('add', id, '--json', ...options)));
      secrets.push(added.client_secret);
      return added as { client_id: string; client_secret: string };
    };
    const tokenFor = (id: string, secret: string) =>
      request(`${service.url}/token`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ client_id: id, client_secret: secret }),
      });

    it('says what to do when there are no clients yet', async () => {
      assert.match(succeeded(await client('list')), /no clients yet.*vestibule client add <id>/);
      assert.deepEqual(JSON.parse(succeeded(await client('list', '--json'))), []);
    });

    it('adds a client whose secret works at once in a service that runs', async () => {
      const shown = succeeded(await client('add', 'billing', '--label', 'Billing & "Reports"'));
      const secret = /^client_secret {2}(\S+)$/m.exec(shown)?.[1] ?? '';
      secrets.push(secret);
      assert.match(shown, /^client_id {6}billing$/m);
      assert.match(secret, secretForm);
      assert.match(shown, /cannot be shown again/);
      const answer = await tokenFor('billing', secret);
      assert.equal(answer.status, 200);
      assert.equal((await withToken(service.url + me, String(answer.json().token))).status, 200);
    });

    it('prints exactly the id and the secret of a new client as JSON', async () => {
      const added = await add('json-client');
      assert.deepEqual(Object.keys(added), ['client_id', 'client_secret']);
      assert.equal(added.client_id, 'json-client');
      assert.match(added.client_secret, secretForm);
    });

    it('lists the clients in the order they were added', async () => {
      const listed = JSON.parse(succeeded(await client('list', '--json')));
      assert.deepEqual(
        listed.map(({ created_at: _, ...rest }: Record<string, unknown>) => rest),
        [
          { client_id: 'billing', label: 'Billing & "Reports"', state: 'active' },
          { client_id: 'json-client', label: '', state: 'active' },
        ],
      );
      for (const { created_at: created } of listed) assert.equal(new Date(created).toISOString(), created);
      const lines = succeeded(await client('list')).split('\n');
      assert.match(String(lines[0]), /^ID +STATE +CREATED +LABEL$/);
      assert.match(String(lines[1]), /^billing +active +\S+Z {2}Billing & "Reports"$/);
      assert.match(String(lines[2]), /^json-client +active +\S+Z$/);
    });

    it('disables a client at once and enables it again with the same secret', async () => {
      const { client_secret: secret } = await add('on-and-off');
      assert.equal((await tokenFor('on-and-off', secret)).status, 200);
      assert.equal(succeeded(await client('disable', 'on-and-off')), 'Client "on-and-off" is disabled.\n');
      const refusal = await tokenFor('on-and-off', secret);
      assert.equal(refusal.status, 401);
      assert.equal(refusal.text, '{}');
      const enabled = succeeded(await client('enable', 'on-and-off', '--json'));
      assert.deepEqual(JSON.parse(enabled), { client_id: 'on-and-off', state: 'active' });
      assert.equal((await tokenFor('on-and-off', secret)).status, 200);
    });

    it('removes a client at once, and its old secret does not fit a new one of that name', async () => {
      const { client_secret: old } = await add('short-lived');
      const removed = succeeded(await client('remove', 'short-lived', '--json'));
      assert.deepEqual(JSON.parse(removed), { client_id: 'short-lived', removed: true });
      assert.equal((await tokenFor('short-lived', old)).status, 401);
      const { client_secret: fresh } = await add('short-lived');
      assert.notEqual(fresh, old);
      assert.equal((await tokenFor('short-lived', old)).status, 401);
      assert.equal((await tokenFor('short-lived', fresh)).status, 200);
      assert.equal(succeeded(await client('remove', 'short-lived')), 'Client "short-lived" is removed.\n');
    });

    it('refuses an id that is taken and leaves its client as it was', async () => {
      const { client_secret: secret } = await add('taken');
      refused(await client('add', 'taken', '--json'), /There is a client "taken" already/);
      assert.equal((await tokenFor('taken', secret)).status, 200);
    });

    it('refuses an id that is none, with an example of one', async () => {
      for (const id of ['', ' ', '.hidden', 'two words', 'ümlaut', 'a/b', "x'y", 'x'.repeat(65), 'tab\tin']) {
        refused(await client('add', id), /A client id is 1 to 64 letters.*Example: billing-service/);
      }
    });

    it('tells ids apart by case', async () => {
      await add('Case');
      const { client_secret: lower } = await add('case');
      assert.equal((await tokenFor('Case', lower)).status, 401);
      assert.equal((await tokenFor('case', lower)).status, 200);
    });

    for (const command of ['disable', 'enable', 'remove']) {
      it(`says so when there is no client to ${command}`, async () => {
        refused(await client(command, 'nobody'), /There is no client "nobody"\. "vestibule client list"/);
      });
    }

    it('has shown no secret a second time, neither in an answer nor in the log of the service', async () => {
      await client('list');
      await client('list', '--json');
      assert.ok(
        secrets.length >= 6 && printed.includes('on-and-off'),
        'control: there was something to find',
      );
      const log = JSON.stringify(service.logLines());
      for (const secret of secrets) {
        assert.match(secret, secretForm);
        assert.equal(printed.includes(secret), false);
        assert.equal(log.includes(secret), false);
      }
    });
  });
}
