import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { after, before, describe, it } from 'node:test';
import type { Finding } from '../../src/base/finding.ts';
import {
  assertLines,
  examined,
  failsWith,
  healthyProvider,
  healthySettings,
  linesOf,
  passesWith,
  warnsWith,
} from '../support/commands/examined.ts';
import { newDirectory, succeeded } from '../support/commands/outcome.ts';
import { plainSql } from '../support/databases/plain-sql.ts';
import { freePort, takePort } from '../support/run/ports.ts';
import { part } from '../support/run/surroundings.ts';
import {
  newSettings,
  runVestibule,
  type Service,
  type Settings,
  someEngine,
  startService,
} from '../support/services/service.ts';
import { childrenOf } from '../support/services/supervised.ts';
import { webhookCommand } from '../support/webhooks/webhook-stage.ts';

const { healthy, origin } = healthyProvider();

describe('vestibule doctor, settings', () => {
  it('reports every mistake as its own line, and skips the other checks', async () => {
    const findings = await examined({ ...(await healthy()), PORT: 'http', LOG_LEVEL: 'loud' });
    assertLines(findings, 'fail', [
      /^FAIL {2}settings +LOG_LEVEL must be one of .*found "loud"/,
      /^FAIL {2}settings +PORT must be a whole number .*found "http"/,
    ]);
    assert.equal(linesOf(findings, 'pass').length, 0);
    assert.match(linesOf(findings, 'skip').join('\n'), /database +not checked: fix the settings first/);
  });

  it('reports an invalid collection declaration', async () => {
    const folder = newDirectory();
    writeFileSync(`${folder}/notes.yaml`, 'schema: 7\n');
    const says = /^FAIL {2}collections .*notes\.yaml.*docs\/collections\.md/;
    await failsWith(await healthy({ COLLECTIONS_DIR: folder }), says);
  });
});

describe('vestibule doctor, frontends and ports', () => {
  it('warns if no frontend origin is allowed', async () => {
    const { CORS_ORIGINS: _, ...settings } = await healthy();
    await warnsWith(settings, /^WARN {2}frontends +none; .*Set CORS_ORIGINS=https/);
  });

  it("accepts the service's own origin as frontend", async () => {
    const settings = await healthy();
    const served = { ...settings, CORS_ORIGINS: String(settings.BASE_URL) };
    await warnsWith(served);
    await passesWith(served, /frontends +pages of .* itself/);
  });

  it('reports a port taken by another program, and an address that this machine does not have', async (test) => {
    const { port, release } = await takePort();
    test.after(release);
    const taken =
      /^FAIL {2}ops port +another program, .* it does not answer HTTP\); expected 127\.0\.0\.1:\d+ is free\. Stop it \("lsof -i :\d+" .*OPS_PORT/;
    await failsWith(await healthy({ OPS_PORT: String(port) }), taken);
    const unknown =
      /^FAIL {2}ops port +this machine cannot listen there \(EADDRNOTAVAIL\); .*OPS_HOST=127\.0\.0\.1/;
    await failsWith(await healthy({ OPS_HOST: '192.0.2.1' }), unknown);
  });
});

describe('vestibule doctor, running service', () => {
  let settings: Settings;
  let service: Service;
  before(async () => {
    const { oidcOrigin } = await part('providers');
    settings = await healthySettings({ IDP_ORIGIN: oidcOrigin, IDP_JWKS_PATH: '/jwks' });
    service = await startService(settings);
  });
  after(() => service.stop());

  it('passes for a running service with a real provider', async () => {
    const shown = succeeded(await runVestibule(settings, 'doctor'));
    assert.doesNotMatch(shown, /^(FAIL|WARN)/m);
    assert.match(shown, /^pass {2}issuer +"http:\/\/127\.0\.0\.1:\d+": the provider$/m);
    assert.match(shown, /^pass {2}key .* 1 usable$/m);
    assert.match(shown, /^pass {2}port +127\.0\.0\.1:\d+ is taken by this service, which is ready$/m);
    assert.match(shown, /\nNo check failed\. To check a token, run "npx vestibule explain"/);
  });

  it('reports a service with another database on its ports', async () => {
    const ours = { ...settings, DATABASE_URL: `sqlite:${newDirectory()}/ours.db` };
    await failsWith(
      ours,
      /^FAIL {2}port +.*a service with another database.*lsof -i :\d+.*choose another PORT/,
      /^FAIL {2}ops port +.*a service with another database.*lsof -i :\d+.*choose another OPS_PORT/,
    );
    await failsWith(
      { ...ours, OPS_PORT: String(await freePort()) },
      /^FAIL {2}port +.*a service with another database.*lsof -i :\d+.*choose another PORT/,
    );
  });

  it('reports another program on the port of the service', async () => {
    const { port } = new URL(origin());
    const says = new RegExp(`^FAIL {2}port +another program.*lsof -i :${port}`);
    await failsWith({ ...settings, PORT: port, BASE_URL: origin() }, says);
  });

  it('recognises several processes behind its ports, and reports when none answers', async () => {
    const several = await healthy({ TEST_SERVE_OPTIONS: '--processes 2' });
    const supervised = await startService(several);
    try {
      const shown = linesOf(await examined(several), 'pass').join('\n');
      assert.match(shown, /^pass {2}port .* by this service, which is ready$/m);
      assert.match(shown, /^pass {2}ops port .* by this service, which is ready$/m);
      for (const child of childrenOf(supervised)) process.kill(child, 'SIGSTOP');
      const ofOps = linesOf(await examined(several), 'fail').filter((line) => line.includes('ops port'));
      assert.equal(ofOps.length, 1);
      const says = /^FAIL {2}ops port .*OPS_PORT: not ready, processes: 2 of 2 do not answer/;
      assert.match(String(ofOps[0]), says);
    } finally {
      for (const child of childrenOf(supervised)) process.kill(child, 'SIGCONT');
      await supervised.stop();
    }
  });

  it('recognises the service when it answers 429', async (test) => {
    const limited = await healthy({ REFUSALS_PER_MINUTE: '1' });
    const refusing = await startService(limited);
    test.after(() => refusing.stop());
    await fetch(`${refusing.url}/api/consumer/v1/me`);
    await passesWith(limited, /^pass {2}port .* by this service, which is ready$/m);
  });

  it('reports another program on PORT or OPS_PORT, and whether it answers HTTP', async () => {
    const { port } = new URL(origin());
    const ofPort = new RegExp(
      `^FAIL {2}port +another program.*expected \\S+:${port} is free.*lsof -i :${port}.* PORT$`,
    );
    await failsWith(await healthy({ PORT: port }), ofPort);
    const ofOpsPort = /^FAIL {2}ops port +another program, .* it answers HTTP with \d+.* OPS_PORT$/;
    await failsWith(await healthy({ OPS_PORT: port }), ofOpsPort);
  });

  it('exits with 1 and prints JSON for a failed check', async () => {
    const wrong = { ...settings, IDP_JWKS_PATH: '/certs' };
    const { code, stdout, stderr } = await runVestibule(wrong, 'doctor', '--json');
    assert.equal(code, 1);
    assert.equal(stderr, '');
    const { ok, checks } = JSON.parse(stdout);
    assert.equal(ok, false);
    const failed = checks.filter(({ result }: { result: string }) => result === 'fail');
    const names = failed.map(({ name }: { name: string }) => name);
    assert.deepEqual(names, ['key address', 'key']);
    const codes = failed.map(({ code }: { code: string }) => code);
    assert.deepEqual(codes, ['key_address_differs', 'keys_unavailable']);
    assert.equal(failed[0].advice, 'Set IDP_JWKS_PATH=/jwks');
    assert.match(failed[1].advice, /IDP_ORIGIN and IDP_JWKS_PATH/);
  });
});

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
