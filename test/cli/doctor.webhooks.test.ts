import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import type { Finding } from '../../src/base/finding.ts';
import { plainSql } from '../support/databases/plain-sql.ts';
import { newSettings, runVestibule, type Settings, someEngine } from '../support/services/service.ts';
import { webhookCommand } from '../support/webhooks/webhook-stage.ts';

for (const engine of someEngine) {
  describe(`vestibule doctor, webhooks on ${engine}`, () => {
    let settings: Settings;
    let id: string;
    before(async () => {
      settings = await newSettings(engine, {
        BASE_URL: 'http://localhost/vestibule',
        IDP_ORIGIN: 'http://127.0.0.1:9',
        WEBHOOK_ALLOW: 'loopback',
      });
      const url = 'http://127.0.0.1:9/hook';
      const added = await webhookCommand<{ webhook_id: string }>(settings, 'add', url, '--events', '*');
      id = added.webhook_id;
    });

    const found = async (changes: Settings = {}): Promise<Finding> => {
      const { stdout } = await runVestibule({ ...settings, ...changes }, 'doctor', '--json');
      const findings: Finding[] = JSON.parse(stdout).checks;
      const ours = findings.filter(({ name }) => name === 'webhooks');
      assert.equal(ours.length, 1, stdout);
      return ours[0] ?? assert.fail();
    };
    const query = (text: string) => plainSql(settings).query(text);

    it('passes for a webhook with an allowed address', async () => {
      const { result, found: text } = await found();
      assert.equal(result, 'pass');
      assert.match(text, new RegExp(`^${id} .*last success: never$`));
    });

    it('reports an address that is no longer allowed, with the setting to change', async () => {
      const { result, advice } = await found({ WEBHOOK_ALLOW: '' });
      assert.equal(result, 'fail');
      assert.match(String(advice), /an https URL.*WEBHOOK_ALLOW=http:\/\/127\.0\.0\.1:9/);
    });

    it('warns about a failing and a disabled webhook', async () => {
      const since = Date.now() - 86_400_000;
      await query(
        `update webhooks set failing_since = ${since}, last_failure = 'timeout' where id = '${id}'`,
      );
      const failing = await found();
      assert.equal(failing.result, 'warn');
      assert.match(failing.found, /deliveries have failed since \S+Z \(timeout\)/);
      await webhookCommand(settings, 'disable', id);
      const disabled = await found();
      assert.equal(disabled.result, 'warn');
      assert.match(disabled.found, /is disabled \(operator\)/);
      await webhookCommand(settings, 'enable', id);
      assert.equal((await found()).result, 'pass');
    });

    it('reports a webhook that was changed without the master secret', async () => {
      await query(`update webhooks set events = 'notes.*' where id = '${id}'`);
      const { result, advice } = await found();
      assert.equal(result, 'fail');
      assert.match(String(advice), /without the master secret/);
    });
  });
}
