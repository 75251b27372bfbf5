import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { refused, succeeded } from '../support/commands/outcome.ts';
import { plainSql } from '../support/databases/plain-sql.ts';
import { request, withToken } from '../support/http/request.ts';
import { until } from '../support/run/polling.ts';
import { deployment } from '../support/services/deployment.ts';
import { logCaughtUp } from '../support/services/log-caught-up.ts';
import { me, newSettings, runVestibule, someEngine } from '../support/services/service.ts';
import { credentialsBody, postToken } from '../support/tokens/token-endpoint.ts';

const secretForm = /^vsec_[A-Za-z0-9_-]{43}$/;
/** The defaults of a client that was added without options. */
const asAdded = { state: 'active', genuine: true, scopes: [], authentication: 'secret' };
const secretFields = ['secret_id', 'label', 'created_at', 'expires_at', 'last_used_on'];

for (const engine of someEngine) {
  describe(`vestibule client on ${engine}`, () => {
    /** Everything the commands printed, except new secrets. */
    let printed = '';
    const secrets: string[] = [];
    const running = deployment({ engine });

    const client = async (...parameters: string[]) => {
      const outcome = await runVestibule(running().settings, 'client', ...parameters);
      printed += outcome.stderr + (parameters[0] === 'add' ? '' : outcome.stdout);
      return outcome;
    };
    const add = async (id: string, ...options: string[]) => {
      const added = JSON.parse(succeeded(await client('add', id, '--json', ...options)));
      secrets.push(added.client_secret);
      return added as { client_id: string; client_secret: string };
    };
    const tokenFor = (id: string, secret: string) =>
      postToken(running().service.url, credentialsBody({ id, secret }));

    /** Other processes see a change within a second. */
    const refusalOf = (id: string, secret: string) =>
      until(
        () => tokenFor(id, secret),
        ({ status }) => status === 401,
        `${id} still gets tokens`,
      );

    it('an empty list says how to add a client', async () => {
      assert.match(succeeded(await client('list')), /no clients yet.*: npx vestibule client add <id>/);
      assert.deepEqual(JSON.parse(succeeded(await client('list', '--json'))), []);
    });

    it('the secret of a new client works at once in a running service', async () => {
      const shown = succeeded(await client('add', 'billing', '--label', 'Billing & "Reports"'));
      const secret = /^client_secret {2}(\S+)$/m.exec(shown)?.[1] ?? '';
      secrets.push(secret);
      assert.match(shown, /^client_id {6}billing$/m);
      assert.match(secret, secretForm);
      assert.match(shown, /cannot be shown again/);
      const answer = await tokenFor('billing', secret);
      assert.equal(answer.status, 200);
      assert.equal((await withToken(running().service.url + me, String(answer.json().token))).status, 200);
    });

    it('add --json prints exactly the id and the secret', async () => {
      const added = await add('json-client');
      assert.deepEqual(Object.keys(added), ['client_id', 'client_secret']);
      assert.equal(added.client_id, 'json-client');
      assert.match(added.client_secret, secretForm);
    });

    it('clients are listed in the order they were added', async () => {
      const listed = JSON.parse(succeeded(await client('list', '--json')));
      assert.deepEqual(
        listed.map(({ created_at: _, secrets: __, ...rest }: Record<string, unknown>) => rest),
        [
          { client_id: 'billing', label: 'Billing & "Reports"', ...asAdded },
          { client_id: 'json-client', label: '', ...asAdded },
        ],
      );
      for (const { secrets: kept } of listed) {
        assert.equal(kept.length, 1);
        assert.deepEqual(Object.keys(kept[0]), secretFields);
      }
      for (const { created_at: created } of listed) assert.equal(new Date(created).toISOString(), created);
      const lines = succeeded(await client('list')).split('\n');
      assert.match(String(lines[0]), /^ID +STATE +CREATED +SCOPES +LABEL$/);
      assert.match(String(lines[1]), /^billing +active +\S+Z {2}- +Billing & "Reports"$/);
      assert.match(String(lines[2]), /^json-client +active +\S+Z {2}-$/);
      assert.equal(lines[3], '');
      assert.match(String(lines[4]), /^ID +SECRET +CREATED +EXPIRES +LAST USED +LABEL$/);
      assert.match(String(lines[5]), /^billing +[0-9a-f]{12} +\S+Z {2}never +/);
      assert.match(String(lines[6]), /^json-client +[0-9a-f]{12} +\S+Z {2}never +never$/);
    });

    it('scopes can be given at "add" and changed within a second', async () => {
      const scopes = ['a.read', 'b', 'b'].flatMap((scope) => ['--scope', scope]);
      const { client_secret: secret } = await add('scoped', ...scopes);
      const grants = async (expected: string | undefined) => {
        await until(granted, (scope) => scope === expected, `the client is not granted ${expected}`);
      };
      const granted = async () => {
        const fields = { grant_type: 'client_credentials', client_id: 'scoped', client_secret: secret };
        const body = new URLSearchParams(fields);
        return (await request(`${running().service.url}/token`, { method: 'POST', body })).json().scope;
      };
      await grants('a.read b');
      const changed = succeeded(await client('scopes', 'scoped', 'b', 'c:*', 'b', '--json'));
      assert.deepEqual(JSON.parse(changed), { client_id: 'scoped', scopes: ['b', 'c:*'] });
      await grants('b c:*');
      assert.match(succeeded(await client('list')), /^scoped +active +\S+Z {2}b c:\*$/m);
      assert.equal(succeeded(await client('scopes', 'scoped')), 'Client "scoped" has no scopes.\n');
      await grants(undefined);
      assert.equal(succeeded(await client('scopes', 'scoped', 'd')), 'Client "scoped" may have: d\n');
    });

    it('an invalid scope, or too many, is refused with an example', async () => {
      const says = /A scope is a word of printable ASCII.*Example: bookings\.write/;
      const odd = ['', 'two words', 'quo"te', 'back\\slash', 'é', 'x'.repeat(129)];
      for (const scope of odd) refused(await client('scopes', 'scoped', scope), says);
      refused(await client('add', 'never', '--scope', 'good', '--scope', 'b a d'), says);
      const many = Array.from({ length: 51 }, (_, index) => `scope${index}`);
      refused(await client('scopes', 'scoped', ...many), /A client has at most 50 scopes; found 51/);
      const listed = JSON.parse(succeeded(await client('list', '--json')));
      const ids = listed.map(({ client_id: id }: { client_id: string }) => id);
      assert.deepEqual([ids.includes('scoped'), ids.includes('never')], [true, false]);
    });

    it('a client is disabled within a second, and enabled with the same secret', async () => {
      const { client_secret: secret } = await add('on-and-off');
      assert.equal((await tokenFor('on-and-off', secret)).status, 200);
      assert.equal(succeeded(await client('disable', 'on-and-off')), 'Client "on-and-off" is disabled.\n');
      const refusal = await refusalOf('on-and-off', secret);
      assert.equal(refusal.text, '{}');
      const enabled = succeeded(await client('enable', 'on-and-off', '--json'));
      assert.deepEqual(JSON.parse(enabled), { client_id: 'on-and-off', state: 'active' });
      assert.equal((await tokenFor('on-and-off', secret)).status, 200);
    });

    it('a removed client is refused within a second, and its secret does not work for a successor', async () => {
      const { client_secret: old } = await add('short-lived');
      refused(await client('remove', 'short-lived'), /--yes/);
      assert.equal((await tokenFor('short-lived', old)).status, 200);
      const removed = succeeded(await client('remove', 'short-lived', '--yes', '--json'));
      assert.deepEqual(JSON.parse(removed), { client_id: 'short-lived', removed: true });
      await refusalOf('short-lived', old);
      const { client_secret: fresh } = await add('short-lived');
      assert.notEqual(fresh, old);
      assert.equal((await tokenFor('short-lived', old)).status, 401);
      assert.equal((await tokenFor('short-lived', fresh)).status, 200);
      const said = succeeded(await client('remove', 'short-lived', '--yes'));
      assert.equal(said, 'Client "short-lived" is removed.\n');
    });

    it('an id that is taken is refused, and its client is unchanged', async () => {
      const { client_secret: secret } = await add('taken');
      refused(await client('add', 'taken', '--json'), /There is a client "taken" already/);
      assert.equal((await tokenFor('taken', secret)).status, 200);
    });

    it('an invalid id is refused with an example', async () => {
      for (const id of ['', ' ', '.hidden', 'two words', 'ümlaut', 'a/b', "x'y", 'x'.repeat(65), 'tab\tin']) {
        refused(await client('add', id), /A client id is 1 to 64 letters.*Example: billing-service/);
      }
    });

    it('ids are case-sensitive', async () => {
      await add('Case');
      const { client_secret: lower } = await add('case');
      assert.equal((await tokenFor('Case', lower)).status, 401);
      assert.equal((await tokenFor('case', lower)).status, 200);
    });

    for (const command of ['disable', 'enable', 'remove', 'scopes', 'rotate']) {
      it(`${command} of an unknown client is refused`, async () => {
        const confirmed = command === 'remove' ? ['--yes'] : [];
        const says = /There is no client "nobody"\. "npx vestibule client list"/;
        refused(await client(command, 'nobody', ...confirmed), says);
      });
    }

    it('no secret is printed twice or logged', async () => {
      await client('list');
      await client('list', '--json');
      assert.ok(secrets.length >= 6 && printed.includes('on-and-off'), 'control: there is something to find');
      await logCaughtUp(running().service);
      const log = JSON.stringify(running().service.logLines());
      for (const secret of secrets) {
        assert.match(secret, secretForm);
        assert.equal(printed.includes(secret), false);
        assert.equal(log.includes(secret), false);
      }
    });
  });
}

describe('the output of a command', () => {
  it('contains no control or bidirectional characters from the database', async () => {
    const settings = await newSettings('sqlite', {});
    const label = 'a\u001b[1A\u001b[2K\u0007\u009b2J\u202eb\nc\rd';
    const run = async (...parameters: string[]) => succeeded(await runVestibule(settings, ...parameters));
    await run('client', 'add', 'billing', '--label', label);
    await plainSql(settings).query(
      `insert into audit (at, actor, node, action, subject, details) values (1, '${label}', '', '', '${label}', '{}')`,
    );
    const planted = /(?!\n)[\p{Cc}\u202e]/u;
    const list = await run('client', 'list');
    assert.doesNotMatch(list, planted);
    assert.equal(list.match(/^billing .*a.*b.*c.*d$/gm)?.length, 1, 'in one line');
    const audit = await run('audit');
    assert.doesNotMatch(audit, planted);
    assert.equal(audit.trimEnd().split('\n').length, 3);
    for (const command of [['client', 'list'], ['audit']]) {
      const json = await run(...command, '--json');
      assert.doesNotMatch(json, planted);
      assert.ok(JSON.stringify(JSON.parse(json)).includes(JSON.stringify(label)), 'the same value');
    }
    const { stderr } = await runVestibule(settings, 'client', 'remove', label, '--yes');
    assert.doesNotMatch(stderr, planted);
  });
});
