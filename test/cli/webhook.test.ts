import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { refused, succeeded } from '../support/commands/outcome.ts';
import { ApiCaller } from '../support/http/api-caller.ts';
import { until } from '../support/run/polling.ts';
import { declarationsFolder, plainNotes } from '../support/services/declarations.ts';
import {
  newSettings,
  runVestibule,
  type Service,
  type Settings,
  someEngine,
  startService,
} from '../support/services/service.ts';
import { TestProvider } from '../support/tokens/provider.ts';
import { answerWith, WebhookReceiver } from '../support/webhooks/webhook-receiver.ts';
import { webhookCommand } from '../support/webhooks/webhook-stage.ts';

const idForm = /^whk_[0-9a-f]{24}$/;
const secretForm = /^whsec_[A-Za-z0-9+/]{43}=$/;

for (const engine of someEngine) {
  describe(`vestibule webhook on ${engine}`, () => {
    let settings: Settings;
    let receiver: WebhookReceiver;
    /** Everything printed, except new secrets. */
    let printed = '';
    const secrets: string[] = [];
    before(async () => {
      receiver = await WebhookReceiver.start();
      const allowed = new URL(receiver.url).origin;
      settings = await newSettings(engine, { WEBHOOK_ALLOW: allowed, BASE_URL: 'https://api.example.org' });
    });
    after(() => receiver.stop());

    const webhook = async (...parameters: string[]) => {
      const outcome = await runVestibule(settings, 'webhook', ...parameters);
      if (!['add', 'rotate'].includes(parameters[0] ?? '')) printed += outcome.stdout;
      printed += outcome.stderr;
      return outcome;
    };
    const data = async (...parameters: string[]) =>
      JSON.parse(succeeded(await webhook(...parameters, '--json')));
    const add = async (...options: string[]): Promise<string> => {
      const added = await data('add', receiver.url, '--events', 'notes.*', ...options);
      secrets.push(added.secret ?? '');
      return added.webhook_id;
    };
    const audited = async (): Promise<string[]> => {
      const lines = JSON.parse(succeeded(await runVestibule(settings, 'audit', '--json')));
      return lines.map(({ action }: { action: string }) => action);
    };

    it('an empty list says how to add a webhook', async () => {
      succeeded(await runVestibule(settings, 'client', 'add', 'makes-the-database'));
      assert.match(
        succeeded(await webhook('list')),
        /no webhooks yet\. Add one with: npx vestibule webhook add/,
      );
      assert.deepEqual(await data('list'), []);
    });

    it('add prints the secret once, and list and show print the rest', async () => {
      const shown = succeeded(
        await webhook('add', receiver.url, '--events', 'bookings.*, consumer.erased,bookings.*'),
      );
      const id = /^webhook_id {2}(\S+)$/m.exec(shown)?.[1] ?? '';
      const secret = /^secret {6}(\S+)$/m.exec(shown)?.[1] ?? '';
      assert.match(id, idForm);
      assert.match(secret, secretForm);
      assert.match(shown, /cannot be shown again/);
      secrets.push(secret);
      const [listed] = await data('list');
      const { created_at: created, ...rest } = listed;
      assert.equal(new Date(created).toISOString(), created);
      assert.deepEqual(rest, {
        webhook_id: id,
        url: receiver.url,
        events: ['bookings.*', 'consumer.erased'],
        state: 'active',
        disabled_because: null,
        genuine: true,
        position: 0,
        delivered: 0,
        dead: 0,
        oldest_undelivered_at: null,
        last_success_at: null,
        last_failure: null,
        failing_since: null,
        disabled_at: null,
        paused_until: null,
        previous_secret_ends_at: null,
      });
      assert.deepEqual(await data('show', id), listed);
      const lines = succeeded(await webhook('list')).split('\n');
      assert.match(String(lines[0]), /^ID +STATE +EVENTS +DELIVERED +DEAD +LAST SUCCESS +URL +NOTE$/);
      assert.match(String(lines[1]), /^whk_\w+ +active +bookings\.\*,consumer\.erased +0 +0 +never +http/);
      assert.match(succeeded(await webhook('show', id)), /^url +http:\/\/127/m);
      assert.equal(
        succeeded(await webhook('deliveries', id)),
        'There are no pending deliveries and no dead letters.\n',
      );
    });

    it('a rotation leaves two secrets for a day, and a third is refused', async () => {
      const id = await add();
      const before = Date.now();
      const rotated = await data('rotate', id);
      secrets.push(rotated.secret);
      assert.deepEqual(Object.keys(rotated), ['webhook_id', 'secret', 'previous_secret_ends_at']);
      const ends = Date.parse(rotated.previous_secret_ends_at);
      assert.ok(ends >= before + 86_400_000 && ends <= Date.now() + 86_400_000);
      refused(await webhook('rotate', id), /has two secrets already, until .*Z\. Wait until then, or.*--now/);
      const now = await data('rotate', id, '--now');
      secrets.push(now.secret);
      assert.equal(now.previous_secret_ends_at, null);
      assert.equal((await data('show', id)).previous_secret_ends_at, null);
    });

    it('disable, enable and remove each write an audit entry', async () => {
      const id = await add();
      assert.equal(succeeded(await webhook('disable', id)), `Webhook "${id}" is disabled.\n`);
      assert.deepEqual(await data('disable', id), { webhook_id: id, state: 'disabled' });
      assert.equal((await data('show', id)).disabled_because, 'operator');
      assert.match(succeeded(await webhook('list')), /disabled: by a command$/m);
      assert.deepEqual(await data('enable', id), { webhook_id: id, state: 'active' });
      refused(await webhook('remove', id), /Confirm with --yes/);
      assert.equal(succeeded(await webhook('remove', id, '--yes')), `Webhook "${id}" is removed.\n`);
      assert.deepEqual((await audited()).slice(-4), [
        'webhook.added',
        'webhook.disabled',
        'webhook.enabled',
        'webhook.removed',
      ]);
    });

    for (const command of ['show', 'rotate', 'disable', 'enable', 'deliveries', 'test']) {
      it(`${command} of an unknown webhook is refused`, async () => {
        refused(
          await webhook(command, 'whk_none'),
          /There is no webhook "whk_none"\. "npx vestibule webhook list"/,
        );
      });
    }

    it('remove and replay of an unknown webhook are refused', async () => {
      refused(await webhook('remove', 'whk_none', '--yes'), /There is no webhook "whk_none"/);
      refused(await webhook('replay', 'whk_none', '--dead'), /There is no webhook "whk_none"/);
    });

    it('[E133] addresses outside the internet are refused with WEBHOOK_ALLOW', async () => {
      const port = new URL(receiver.url).port;
      for (const url of [
        `https://127.0.0.1:${port}/`,
        'https://169.254.169.254/latest/',
        'https://[::1]/',
        'https://2130706433/',
        'https://localhost/',
      ])
        refused(await webhook('add', url, '--events', '*'), /a public address; found \S+\. .*WEBHOOK_ALLOW=/);
      refused(
        await webhook('add', 'http://127.0.0.1:1/', '--events', '*'),
        /an https URL.*WEBHOOK_ALLOW=http:\/\/127\.0\.0\.1:1/,
      );
      refused(await webhook('add', 'http://8.8.8.8/', '--events', '*'), /an https URL/);
      refused(
        await webhook('add', 'https://api.example.org/hook', '--events', '*'),
        /another host than this service/,
      );
      refused(
        await webhook('add', 'https://no-such-name.invalid/', '--events', '*'),
        /does not resolve to an address/,
      );
    });

    it('invalid event types are refused with an example', async () => {
      for (const events of [
        '',
        ' , ',
        'notes',
        'notes.',
        '.created',
        'notes.cre*',
        'a.b.c',
        'Notes.created',
        '**',
        "x';--",
      ])
        refused(
          await webhook('add', receiver.url, '--events', events),
          /--events is a list of .*Example: --events 'bookings/,
        );
    });

    it('missing --events and an invalid time or limit are wrong usage', async () => {
      const wrong = [
        ['add', receiver.url],
        ['replay', 'whk_x', '--since', 'yesterday'],
        ['replay', 'whk_x', '--to', '1h'],
        ['deliveries', 'whk_x', '--limit', '0'],
      ];
      for (const parameters of wrong)
        assert.equal((await webhook(...parameters)).code, 2, parameters.join(' '));
      const id = await add();
      for (const options of [[], ['--to', '5'], ['--dead', '--since', '1h']])
        refused(await webhook('replay', id, ...options), /: --dead, or --since/);
      assert.deepEqual(await data('replay', id, '--since', '1'), { webhook_id: id, deliveries: 0 });
    });

    it('test sends a signed message and prints the answer of the receiver', async () => {
      const id = await add();
      assert.match(succeeded(await webhook('test', id)), / accepted the message: status 204\.$/m);
      const { headers, type, body } = receiver.received.at(-1) ?? assert.fail();
      assert.equal(type, 'vestibule.test');
      assert.deepEqual(JSON.parse(body).data, { webhook: id });
      const { Webhook } = await import('standardwebhooks');
      new Webhook(secrets.at(-1) ?? '').verify(body, { ...headers });
      receiver.answer = answerWith(503);
      const failed = await webhook('test', id, '--json');
      assert.equal(failed.code, 1);
      assert.deepEqual(JSON.parse(failed.stdout), {
        webhook_id: id,
        ok: false,
        status: 503,
        reason: 'status_503',
        sent_by: 'command',
        service_failing_since: null,
        service_last_failure: null,
      });
      receiver.answer = answerWith(204);
      await receiver.stop();
      const unreachable = await webhook('test', id);
      assert.equal(unreachable.code, 1);
      assert.match(unreachable.stdout, /did not accept the message: unreachable\./);
      await receiver.comeBack();
    });

    it('no secret is printed twice', async () => {
      await webhook('list');
      await webhook('list', '--json');
      assert.ok(secrets.filter((secret) => secretForm.test(secret)).length > 5 && printed.includes('whk_'));
      for (const secret of secrets.filter((one) => one !== '')) {
        assert.equal(printed.includes(secret), false);
        assert.equal(printed.includes(secret.slice('whsec_'.length)), false);
      }
    });
  });
}

describe('vestibule webhook beside a service', () => {
  let provider: TestProvider;
  let receiver: WebhookReceiver;
  let service: Service;
  let newer: Settings;
  before(async () => {
    provider = await TestProvider.start();
    receiver = await WebhookReceiver.start();
    service = await startService(
      await newSettings('sqlite', {
        ...provider.settings,
        BASE_URL: 'http://127.0.0.1:8080',
        COLLECTIONS_DIR: declarationsFolder({ orders: plainNotes(80) }),
      }),
    );
    newer = { ...service.settings, WEBHOOK_ALLOW: new URL(receiver.url).origin };
  });
  after(async () => {
    await service?.stop();
    await receiver?.stop();
    await provider?.stop();
  });

  it('add names WEBHOOK_ALLOW for a receiver on another port of the same host', async () => {
    const { origin } = new URL(receiver.url);
    const outcome = await runVestibule(service.settings, 'webhook', 'add', receiver.url, '--events', '*');
    refused(outcome, new RegExp(`WEBHOOK_ALLOW=${origin}`));
  });

  it('add warns about a pattern that matches no collection, and suggests one', async () => {
    const events = ['--events', 'ordrs.*,orders.created,consumer.erased,*.deleted'];
    const { code, stderr } = await runVestibule(newer, 'webhook', 'add', receiver.url, ...events);
    assert.equal(code, 0);
    assert.match(stderr, /^Warning: [^\n]*"ordrs\.\*"[^\n]*"orders"\?\n$/);
  });

  it('test reports that the service with older settings cannot deliver', async () => {
    const { webhook_id: id } = await webhookCommand<{ webhook_id: string }>(
      newer,
      ...['add', receiver.url, '--events', 'orders.*'],
    );
    await new ApiCaller(service.url, await provider.token()).make('orders', { text: 'x' });
    await until(
      () => webhookCommand<{ last_failure: string | null }>(newer, 'show', id),
      ({ last_failure: failure }) => failure !== null,
      'the service does not try',
    );
    const { service_failing_since: since, ...rest } = await webhookCommand<Record<string, unknown>>(
      newer,
      ...['test', id],
    );
    assert.ok(since);
    assert.deepEqual(rest, {
      webhook_id: id,
      ok: true,
      status: 204,
      reason: null,
      sent_by: 'command',
      service_last_failure: 'address_refused',
    });
    const shown = succeeded(await runVestibule(newer, 'webhook', 'test', id));
    assert.match(shown, /address_refused/);
  });
});
