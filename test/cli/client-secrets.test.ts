import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { exits, refused, succeeded } from '../support/commands/outcome.ts';
import { withToken } from '../support/http/request.ts';
import { until } from '../support/run/polling.ts';
import { deployment } from '../support/services/deployment.ts';
import {
  addClient,
  me,
  runVestibule,
  type Service,
  type Settings,
  someEngine,
} from '../support/services/service.ts';
import { credentialsBody, postToken, tokenOf } from '../support/tokens/token-endpoint.ts';

const weekMs = 7 * 86_400_000;

interface ListedSecret {
  readonly secret_id: string;
  readonly label: string;
  readonly created_at: string;
  readonly expires_at: string | null;
  readonly last_used_on: string | null;
}

for (const engine of someEngine) {
  describe(`client secrets on ${engine}`, () => {
    let settings: Settings;
    let service: Service;
    const running = deployment({ engine });
    before(() => {
      ({ service, settings } = running());
    });

    const client = (...parameters: string[]) => runVestibule(settings, 'client', ...parameters);
    const rotate = async (id: string, ...options: string[]) =>
      JSON.parse(succeeded(await client('rotate', id, '--json', ...options))) as Record<string, string>;
    const secretsOf = async (id: string): Promise<ListedSecret[]> => {
      const listed = JSON.parse(succeeded(await client('list', '--json'))) as {
        client_id: string;
        secrets: ListedSecret[];
      }[];
      return listed.find(({ client_id: listedId }) => listedId === id)?.secrets ?? [];
    };
    const statusOf = async (id: string, secret: string | undefined) =>
      (await postToken(service.url, credentialsBody({ id, secret: String(secret) }))).status;
    /** Other processes see a change within a second. */
    const isRefused = (id: string, secret: string | undefined) =>
      until(
        () => statusOf(id, secret),
        (status) => status === 401,
        `a secret of ${id} still works`,
      );
    const statusOfToken = async (token: string) => (await withToken(service.url + me, token)).status;

    it('rotate prints the next steps', async () => {
      await addClient(settings, 'guided');
      const guided = succeeded(await client('rotate', 'guided'));
      assert.match(
        guided,
        /^client_secret {2}vsec_.*\n\nKeep the secret now: .*\n\nBoth secrets work now\. /ms,
      );
      assert.match(guided, /^npx vestibule client remove-secret guided <secret-id>$/m);
      await addClient(settings, 'hurried');
      const hurried = succeeded(await client('rotate', 'hurried', '--retire-after', '7d'));
      const expires = (await secretsOf('hurried'))[0]?.expires_at;
      assert.match(hurried, new RegExp(`before ${expires}\\. The previous secret expires then\\.\n$`));
    });

    it('rotate adds a second secret and both work, until one is removed with its tokens', async () => {
      const old = await addClient(settings, 'changing');
      const oldToken = await tokenOf(service.url, { id: 'changing', secret: old });
      const added = await rotate('changing', '--label', 'from "November" on');
      assert.deepEqual(Object.keys(added), ['client_id', 'secret_id', 'client_secret']);
      assert.equal(added.client_id, 'changing');
      assert.match(String(added.client_secret), /^vsec_[A-Za-z0-9_-]{43}$/);
      for (const secret of [old, added.client_secret]) assert.equal(await statusOf('changing', secret), 200);
      const newToken = await tokenOf(service.url, { id: 'changing', secret: String(added.client_secret) });

      const [first, second] = await secretsOf('changing');
      assert.deepEqual([first?.label, first?.expires_at], ['', null]);
      assert.deepEqual([second?.secret_id, second?.label], [added.secret_id, 'from "November" on']);

      const removed = await client('remove-secret', 'changing', String(first?.secret_id));
      assert.equal(succeeded(removed), `Secret "${first?.secret_id}" of client "changing" is removed.\n`);
      await isRefused('changing', old);
      assert.equal(await statusOf('changing', added.client_secret), 200);
      const oldStatus = () => statusOfToken(oldToken);
      await until(oldStatus, (status) => status === 403, 'a token outlives its secret');
      assert.equal(await statusOfToken(newToken), 200);
    });

    it('with --retire-after the previous secret expires by itself', async () => {
      const old = await addClient(settings, 'leaving');
      const earliest = Date.now() + weekMs;
      const { client_secret: fresh } = await rotate('leaving', '--retire-after', '7d');
      const [first, second] = await secretsOf('leaving');
      const expiresAt = Date.parse(String(first?.expires_at));
      assert.ok(expiresAt >= earliest && expiresAt <= Date.now() + weekMs, String(first?.expires_at));
      assert.equal(second?.expires_at, null);
      assert.match(
        succeeded(await client('list')),
        new RegExp(`^leaving +${first?.secret_id} +\\S+ +${first?.expires_at} `, 'm'),
      );
      for (const secret of [old, fresh]) assert.equal(await statusOf('leaving', secret), 200);
      await service.advance(weekMs);
      await isRefused('leaving', old);
      assert.equal(await statusOf('leaving', fresh), 200);
    });

    it('a client has at most two live secrets, and an expired one does not count', async () => {
      await addClient(settings, 'crowded');
      await rotate('crowded');
      refused(
        await client('rotate', 'crowded'),
        /Client "crowded" has 2 live secrets.*: npx vestibule client remove-secret crowded <secret-id>/,
      );
      const [first] = await secretsOf('crowded');
      succeeded(await client('remove-secret', 'crowded', String(first?.secret_id), '--json'));
      await rotate('crowded', '--retire-after', '0s');
      await rotate('crowded');
      assert.equal((await secretsOf('crowded')).length, 3, 'what has ended is still shown');
      refused(await client('rotate', 'crowded'), /2 live secrets/);
    });

    it('rotate prints the new secret once, and list never does', async () => {
      await addClient(settings, 'shown');
      const shown = succeeded(await client('rotate', 'shown'));
      assert.match(shown, /^client_id {6}shown\nclient_secret {2}vsec_\S+\n\nKeep the secret now/);
      const secret = /vsec_\S+/.exec(shown)?.[0];
      assert.equal(await statusOf('shown', secret), 200);
      for (const options of [[], ['--json']]) {
        assert.doesNotMatch(succeeded(await client('list', ...options)), /vsec_/);
      }
    });

    it('the list shows the day of the last use, not the time', async () => {
      const secret = await addClient(settings, 'used');
      assert.equal((await secretsOf('used'))[0]?.last_used_on, null);
      assert.equal(await statusOf('used', 'wrong'), 401);
      assert.equal((await secretsOf('used'))[0]?.last_used_on, null, 'a failed try is no use');
      await tokenOf(service.url, { id: 'used', secret });
      const secrets = () => secretsOf('used');
      const [used] = await until(secrets, ([one]) => one?.last_used_on !== null, 'a use is not noted');
      assert.match(String(used?.last_used_on), /^\d{4}-\d\d-\d\d$/);
    });

    it('remove-secret removes only the named secret of the named client', async () => {
      const secret = await addClient(settings, 'owner');
      await addClient(settings, 'stranger');
      const [owned] = await secretsOf('owner');
      for (const [id, secretId] of [
        ['stranger', String(owned?.secret_id)],
        ['nobody', String(owned?.secret_id)],
        ['owner', '000000000000'],
        ['owner', "' or ''='"],
      ] as const) {
        refused(
          await client('remove-secret', id, secretId),
          /Client ".*" has no secret ".*"\. "npx vestibule/,
        );
      }
      assert.equal(await statusOf('owner', secret), 200);
    });

    it('an invalid --retire-after is wrong usage (exit code 2)', async () => {
      for (const time of ['7', 'd', '7w', '1.5h', '-1d', ' 7d', '3651d', '']) {
        exits(
          2,
          await client('rotate', 'owner', '--retire-after', time),
          /must be a number with the unit s, min, h or d, for example 7d/,
        );
      }
      assert.equal((await secretsOf('owner')).length, 1);
    });
  });
}
