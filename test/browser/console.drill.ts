import assert from 'node:assert/strict';
import { statfsSync, writeFileSync } from 'node:fs';
import { after, before, describe, it } from 'node:test';
import { succeeded } from '../support/commands/outcome.ts';
import { beginOutside } from '../support/databases/outsider.ts';
import { SmallDisk } from '../support/faults/small-disk.ts';
import type { ApiCaller } from '../support/http/api-caller.ts';
import { send } from '../support/http/request.ts';
import { deployment } from '../support/services/deployment.ts';
import { fileOf, runVestibule } from '../support/services/service.ts';
import { childrenOf, SteadyLoad } from '../support/services/supervised.ts';
import { answerWith, WebhookReceiver } from '../support/webhooks/webhook-receiver.ts';
import { consolePage } from './console-page.ts';

/** The page shows a change within this time. */
const visibleWithinMs = 5_000;
const megabytes = 40;

const tickets = `title: Tickets
schema: { properties: { text: { type: string, maxLength: 100 } } }
states: { open: { close: { to: closed, by: owner } }, closed: {} }
limits: { per_user: 100000, writes: 1000000/min }`;

describe('the operator console during faults of a service', () => {
  const opened = consolePage();
  const disk = new SmallDisk(megabytes);
  let receiver: WebhookReceiver;
  const running = deployment({
    declarations: { tickets },
    settings: { DATABASE_URL: `sqlite:${disk.folder}/vestibule.db`, WEBHOOK_ALLOW: 'loopback' },
    clients: { billing: [] },
    prepare: async (settings) => {
      receiver = await WebhookReceiver.start();
      succeeded(await runVestibule(settings, 'webhook', 'add', receiver.url, '--events', 'tickets.*'));
    },
  });
  let caller: ApiCaller;
  before(async () => {
    caller = await running().person();
  });
  after(async () => {
    await receiver.stop();
    disk.remove();
  });

  /** In the headline or a section, within five seconds from now. */
  const sees = (text: RegExp | string, section?: string) =>
    (section === undefined ? opened().headline : opened().section(section))
      .getByText(text)
      .first()
      .waitFor({ timeout: visibleWithinMs });

  it('shows that a new service is ready', async () => {
    await opened().page.goto(running().service.opsUrl);
    await sees('Ready, and nothing needs attention');
    await sees('No requests in the last hour', 'traffic');
  });

  it('shows the traffic of a load', async () => {
    const load = new SteadyLoad(4, (person, turn) =>
      (person + turn) % 3 === 0
        ? {
            method: 'POST',
            url: `${running().service.url}/api/consumer/v1/tickets`,
            headers: { authorization: `Bearer ${caller.token}`, 'content-type': 'application/json' },
            body: '{"text":"something"}',
          }
        : {
            method: 'GET',
            url: `${running().service.url}/api/consumer/v1/${turn % 7 === 0 ? 'nothing' : 'me'}`,
            headers: { authorization: `Bearer ${turn % 5 === 0 ? 'x' : caller.token}` },
          },
    );
    await sees(/^201$/, 'traffic');
    await sees(/^token_malformed$/, 'traffic');
    await sees(/^[\d.,]+\/s, [\d,]+ in 1 h$/, 'data');
    for (let step = 0; step < 30; step += 1) {
      await new Promise((resolve) => setTimeout(resolve, 300));
      await running().move(10_000);
    }
    await load.stop();
  });

  it('shows an outage of the provider', async () => {
    await running().provider.stop();
    await running().move(601_000);
    await sees(/The keys of provider cannot be fetched \(unreachable\)/);
    await sees('Older keys in use', 'identity');
    await running().provider.comeBack();
    await running().move(61_000);
    await sees('Keys available', 'identity');
  });

  it('shows a webhook receiver that fails', async () => {
    receiver.answer = answerWith(500);
    caller = await running().person();
    await caller.make('tickets', { text: 'told' });
    await sees(/fails \(status_500\)/);
    await sees('Failing', 'delivery');
    receiver.answer = answerWith(204);
  });

  it('shows that another program has locked the database', async () => {
    const outsider = await beginOutside(fileOf(running().settings));
    await sees(/The database takes no writes/);
    await outsider.commit();
    await sees('Answers and accepts writes', 'data');
  });

  it('shows that the disk is nearly full', async () => {
    const { bavail, bsize } = statfsSync(disk.folder);
    writeFileSync(`${disk.folder}/filler-64000000`, Buffer.alloc(bavail * bsize - 2_000_000));
    await sees('The disk of the database is nearly full');
    disk.free();
  });

  it('shows that the service is down, and recovers with it', async () => {
    const { opsUrl, stop } = running().service;
    await stop();
    await sees(/The service has not answered since/);
    const { port } = new URL(opsUrl);
    await running().restart(0, { changes: { OPS_PORT: port } });
    await sees(/^Ready/);
    opened().log.takeErrors();
  });
});

describe('the operator console, while one of two processes is killed', () => {
  const opened = consolePage();
  const running = deployment({ settings: { TEST_SERVE_OPTIONS: '--processes 2' } });

  it('shows both processes, the end of one, and its replacement', async () => {
    const machine = () => opened().section('machine');
    const { service } = running();
    await opened().page.goto(service.opsUrl);
    await machine().getByText('2 of 2 serving').waitFor();
    process.kill(childrenOf(service)[0] as number, 'SIGKILL');
    await opened()
      .headline.getByText(/Process 1 has ended once|1 of 2 processes serve/)
      .first()
      .waitFor({ timeout: visibleWithinMs });
    await machine().getByText('2 of 2 serving').waitFor();
    assert.equal((await send(`${service.opsUrl}/livez`)).status, 200);
    opened().log.takeErrors();
  });
});
