import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { after, before, describe, it } from 'node:test';
import { openAdministration } from '../../src/compose/administration.ts';
import { loadStorageConfig } from '../../src/config/load.ts';
import { exits, newDirectory } from '../support/commands/outcome.ts';
import { plainSql } from '../support/databases/plain-sql.ts';
import { canaryWords } from '../support/faults/canaries.ts';
import { provokeRefusals } from '../support/faults/personal-requests.ts';
import { Deployment } from '../support/services/deployment.ts';
import { newSettings, runVestibule, someEngine } from '../support/services/service.ts';
import { TestProvider } from '../support/tokens/provider.ts';
import { tokenOf } from '../support/tokens/token-endpoint.ts';

interface Entry {
  readonly at: string;
  readonly actor: string;
  readonly node: string;
  readonly action: string;
  readonly subject: string;
  readonly details: Readonly<Record<string, unknown>>;
}

for (const engine of someEngine) {
  describe(`vestibule audit on ${engine}`, () => {
    let one: Deployment;
    let secret = '';
    let token = '';
    const startedAt = Date.now();
    before(async () => {
      const provider = await TestProvider.start();
      const all = { ...provider.settings, TOKEN_SIGNING_ALG: 'RS256' };
      one = new Deployment(provider, await newSettings(engine, all));
    });
    after(() => one.stop());

    const run = (...parameters: string[]) => runVestibule(one.settings, ...parameters);
    const audit = (...options: string[]) => one.jsonOf<Entry[]>('audit', ...options);
    /** The new audit rows, read from the database. */
    let seen = 0;
    const newLines = async () => {
      const rows = await plainSql(one.settings).query('select * from audit order by seq');
      const fresh = rows.slice(seen);
      seen = rows.length;
      for (const { node } of fresh) assert.equal(node, hostname());
      return fresh.map(({ actor, action, subject, details }) => {
        return { actor, action, subject, details: JSON.parse(String(details)) as Entry['details'] };
      });
    };
    /** Runs a command. Returns its JSON output and the new audit rows. */
    const written = async (...parameters: string[]) => {
      const shown = await one.jsonOf<Record<string, string>>(...parameters);
      return { shown, lines: await newLines() };
    };
    const line = (actor: string, action: string, subject: string, details: Entry['details'] = {}) => ({
      actor,
      action,
      subject,
      details,
    });

    it('an empty audit says that there are no entries', async () => {
      // Creates the database as a first start does.
      const { storage } = await openAdministration(loadStorageConfig(one.settings), 'test');
      await storage.close();
      assert.equal(await one.command('audit'), 'There are no entries yet.\n');
      assert.deepEqual(await audit(), []);
    });

    it('adding, rotating and removing a client secret each write an entry', async () => {
      const added = await written('client', 'add', 'one', '--label', 'One', '--scope', 'a');
      secret = String(added.shown.client_secret);
      const [first] = added.lines;
      assert.match(String(first?.details.secret_id), /^[0-9a-f]{12}$/);
      const secretId = String(first?.details.secret_id);
      assert.deepEqual(added.lines, [
        line('client add', 'client.added', 'one', { scopes: ['a'], secret_id: secretId }),
      ]);

      const rotated = await written('client', 'rotate', 'one', '--retire-after', '1h');
      const details = rotated.lines[0]?.details ?? {};
      assert.equal(new Date(String(details.others_expire_at)).toISOString(), details.others_expire_at);
      const named = { secret_id: rotated.shown.secret_id, others_expire_at: details.others_expire_at };
      assert.deepEqual(rotated.lines, [line('client rotate', 'client.secret_added', 'one', named)]);

      const removed = await written('client', 'remove-secret', 'one', String(rotated.shown.secret_id));
      assert.deepEqual(removed.lines, [
        line('client remove-secret', 'client.secret_removed', 'one', { secret_id: rotated.shown.secret_id }),
      ]);
    });

    it('adding a client with a public key writes an entry', async () => {
      const { publicKey } = generateKeyPairSync('ed25519');
      const file = `${one.settings.TEST_DIRECTORY}/two.pem`;
      writeFileSync(file, publicKey.export({ format: 'pem', type: 'spki' }));
      const { lines } = await written('client', 'add', 'two', '--public-key', file);
      assert.deepEqual(lines, [line('client add', 'client.added', 'two', { scopes: [], public_keys: true })]);
    });

    it('changing scopes, disabling, enabling and removing a client each write an entry', async () => {
      for (const [parameters, action, details] of [
        [['scopes', 'two', 'b', 'c'], 'client.scopes_changed', { scopes: ['b', 'c'] }],
        [['disable', 'two'], 'client.disabled', {}],
        [['enable', 'two'], 'client.enabled', {}],
        [['remove', 'two', '--yes'], 'client.removed', {}],
      ] as const) {
        const { lines } = await written('client', ...parameters);
        assert.deepEqual(lines, [line(`client ${parameters[0]}`, action, 'two', details)]);
      }
    });

    it('the first key of the service and a manual rotation each write an entry', async () => {
      await one.restart();
      const [key, ...others] = await newLines();
      assert.deepEqual(others, []);
      assert.deepEqual([key?.actor, key?.action], ['serve', 'key.added']);
      assert.equal(key?.details.algorithm, 'RS256');
      const { shown, lines } = await written('keys', 'rotate');
      const details = { algorithm: 'RS256', signs_from: shown.signs_from };
      assert.deepEqual(lines, [line('keys rotate', 'key.added', String(shown.kid), details)]);
    });

    it('suspending and resuming a caller each write an entry with the pseudonym', async () => {
      token = await one.provider.token();
      const caller = (await one.me(token)).json<{ id: string }>();
      const suspended = await written('consumer', 'suspend', caller.id);
      assert.deepEqual(suspended.lines, [line('consumer suspend', 'consumer.suspended', caller.id)]);
      const resumed = await written('consumer', 'resume', caller.id);
      assert.deepEqual(resumed.lines, [line('consumer resume', 'consumer.resumed', caller.id)]);
    });

    it('reads, failed commands and requests of callers write no entry', async () => {
      const looks = [['client', 'list'], ['keys', 'list'], ['audit']];
      const failures = [
        ['client', 'add', 'one'],
        ['client', 'disable', 'nobody'],
        ['client', 'remove-secret', 'one', '000000000000'],
        ['client', 'scopes', 'nobody', 'x'],
        ['client', 'remove', 'nobody', '--yes'],
        ['keys', 'rotate'],
        ['consumer', 'suspend', 'usr_nobody'],
      ];
      const codes = [];
      for (const parameters of [...looks, ...failures]) codes.push((await run(...parameters)).code);
      assert.deepEqual(codes, [...looks.map(() => 0), ...failures.map(() => 1)]);
      await tokenOf(one.service.url, { id: 'one', secret });
      await provokeRefusals(one.service, one.provider);
      assert.deepEqual(await newLines(), []);
    });

    it('entries are listed oldest first, optionally from a time on', async () => {
      const all = await audit();
      assert.equal(all.length, seen);
      const times = all.map(({ at }) => Date.parse(at));
      assert.ok((times[0] ?? 0) >= startedAt && (times.at(-1) ?? 0) <= Date.now());
      const inOrder = times.toSorted((one, other) => one - other);
      assert.deepEqual(times, inOrder);
      const middle = String(all[5]?.at);
      const day = await audit('--since', String(all[0]?.at).slice(0, 10));
      const never = await audit('--since', '9999-01-01');
      const later = all.filter(({ at }) => Date.parse(at) >= Date.parse(middle));
      assert.deepEqual(await audit('--since', middle), later);
      assert.deepEqual([day, never], [all, []]);
    });

    it('entries are printed as a table, one line each', async () => {
      const all = await audit();
      const [head, ...lines] = (await one.command('audit')).trimEnd().split('\n');
      assert.match(String(head), /^AT +ACTION +SUBJECT +BY +ON +DETAILS$/);
      assert.deepEqual(
        lines.map((text) => text.split(/ {2,}/)),
        all.map(({ at, action, subject, actor, node, details }) => {
          return [at, action, subject, actor, node, JSON.stringify(details)];
        }),
      );
    });

    it('the audit contains no secret, token, address or personal data', async () => {
      const shown = (await one.command('audit', '--json')) + (await one.command('audit'));
      assert.ok(secret.startsWith('vsec_') && token !== '', 'control: there was something to find');
      for (const word of [secret, 'vsec_', token, 'eyJ', '127.0.0.1', '::1', 'PRIVATE', ...canaryWords])
        assert.equal(shown.includes(word), false, word);
    });
  });
}

describe('vestibule audit --since', () => {
  for (const since of ['yesterday', '2026-13-01', '2026', '2026-01-31T12:00:00+02:00', '']) {
    it(`${JSON.stringify(since)} is wrong usage (exit code 2)`, async () => {
      const settings = { TEST_DIRECTORY: newDirectory() };
      const says = /must be a date, for example 2026-01-31/;
      exits(2, await runVestibule(settings, 'audit', '--since', since), says);
    });
  }
});
