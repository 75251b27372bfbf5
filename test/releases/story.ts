import assert from 'node:assert/strict';
import { succeeded } from '../support/commands/outcome.ts';
import type { Person } from '../support/people/person.ts';
import { until } from '../support/run/polling.ts';
import { me, runVestibule, type Service, type Settings } from '../support/services/service.ts';
import {
  addKeyClient,
  assertionClaims,
  assertionForm,
  makeClientKey,
  signAssertion,
} from '../support/tokens/client-keys.ts';
import { newDpopKey, proofBy, withProof } from '../support/tokens/dpop.ts';
import { postForm } from '../support/tokens/oauth-form.ts';
import type { TestProvider } from '../support/tokens/provider.ts';
import { webhookCommand } from '../support/webhooks/webhook-stage.ts';
import { issuer, person } from './stage.ts';

/** Refuses every connection. */
const receiver = 'http://127.0.0.1:9/hook';

export interface Clients {
  readonly secret: string;
  readonly key: Awaited<ReturnType<typeof makeClientKey>>;
  readonly webhook: string;
}

/** What an operator sets up before the first start. */
export async function setUp(settings: Settings): Promise<Clients> {
  const add = ['client', 'add', 'house', '--label', 'The house', '--scope', 'approve', '--json'];
  const { client_secret: secret } = JSON.parse(succeeded(await runVestibule(settings, ...add)));
  const key = await makeClientKey('ES256');
  await addKeyClient(settings, 'signer', [key]);
  type Added = { readonly webhook_id: string };
  const { webhook_id: webhook } = await webhookCommand<Added>(settings, 'add', receiver, '--events', '*');
  const { webhook_id: former } = await webhookCommand<Added>(
    settings,
    'add',
    receiver,
    '--events',
    'notes.*',
  );
  await webhookCommand(settings, 'rotate', former);
  await webhookCommand(settings, 'disable', former);
  return { secret, key, webhook };
}

const answered = (status: number, { status: was, body }: Awaited<ReturnType<Person['get']>>) => {
  assert.equal(was, status, JSON.stringify(body));
  return body;
};

/** Writes rows of every kind. A new table of the schema needs a line here: the recording fails without it. */
export async function play(
  service: Service,
  provider: TestProvider,
  house: Person,
  clients: Clients,
): Promise<void> {
  const named = (name: string) => person(service, provider, name);
  const [ada, bob, cat, dan, eve, gus] = [
    await named('ada'),
    await named('bob'),
    await named('cat'),
    await named('dan'),
    await named('eve'),
    await named('gus'),
  ];
  const command = async (...parameters: string[]) =>
    succeeded(await runVestibule(service.settings, ...parameters));

  const note = await ada.make('notes', { text: 'ünïcode \u{1f469} milk', stars: 3 });
  answered(200, await ada.patch(`notes/${note}`, { due: '2030-01-01T08:00:00Z' }));
  await ada.make('notes', { text: 'bread and butter', stars: 5 });
  answered(201, await ada.send('POST', 'notes', keyedNote, { 'idempotency-key': idempotencyKey }));
  const operations = [
    { create: 'notes', fields: { text: 'of a batch', stars: 0 } },
    { delete: 'notes', id: await ada.make('notes', { text: 'soon gone', stars: 0 }) },
  ];
  answered(200, await ada.post('batch', { operations }));

  const booking = await bob.make('bookings', { seats: 2 });
  answered(200, await bob.post(`bookings/${booking}/submit`));
  answered(200, await house.post(`bookings/${booking}/approve`));
  await bob.make('bookings', { seats: 8 });

  const course = await ada.make('courses', { title: 'Pottery', seats: 1 });
  await ada.invites(`courses/${course}`, 'assistant', bob);
  await bob.invites(`courses/${course}`, 'student', cat);
  answered(200, await ada.post(`courses/${course}/open`));
  await ada.codeFor(`courses/${course}`, { role: 'student', uses: 5, expires_in: '30d' });
  await cat.make('places', { course, note: 'by the window' });
  await dan.make('places', { course });
  const cancelled = await gus.make('places', { course });
  answered(200, await gus.post(`places/${cancelled}/cancel`));
  const task = await bob.make('tasks', { course, title: 'Clay' });
  answered(200, await bob.post(`tasks/${task}/open`));
  await bob.make('tasks', { course, title: 'Glaze' });

  const finished = await dan.make('courses', { title: 'Weaving', seats: 9 });
  answered(200, await dan.post(`courses/${finished}/open`));
  answered(200, await dan.post(`courses/${finished}/finish`, { report: 'all went well' }));

  // Both leave work for later: the tasks get another owner, the places are deleted.
  const handed = await ada.make('courses', { title: 'Dyeing', seats: 4 });
  await ada.make('tasks', { course: handed, title: 'Indigo' });
  await ada.invites(`courses/${handed}`, 'owner', bob);
  const given = await dan.make('courses', { title: 'Carving', seats: 4 });
  answered(200, await dan.post(`courses/${given}/open`));
  await cat.make('places', { course: given });
  answered(204, await dan.delete(`courses/${given}`));

  await eve.make('notes', { text: 'to be erased', stars: 1 });
  answered(200, await eve.delete('me'));
  const ida = await named('ida');
  await ida.make('bookings', { seats: 1 });
  answered(200, await ida.delete('me'));
  const fay = await named('fay');
  await command('consumer', 'sign-out', answered(200, await fay.get('me')).id);
  await command('consumer', 'suspend', answered(200, await gus.get('me')).id);
  // The process sees it within a second. Earlier answers would be recorded as if nothing had happened.
  const isSuspended = async () => (await gus.get('me')).status === 403;
  await until(isSuspended, Boolean, 'gus is not suspended');

  await prove(service, provider);
  const { url, settings } = service;
  const assertion = await signAssertion(clients.key, assertionClaims('signer', `${settings.BASE_URL}`));
  const token = await postForm(url, assertionForm(assertion));
  assert.equal(token.status, 200, token.text);
  await until(
    () => webhookCommand<readonly { attempts: number }[]>(settings, 'deliveries', clients.webhook),
    (all) => all.some(({ attempts }) => attempts > 0),
    'no delivery was tried',
  );
}

/** Repeated after an upgrade, it must not create a second note. */
export const keyedNote = { text: 'only once', stars: 4 };
export const idempotencyKey = 'release-0123456789';

/** The first sight of a caller is a write, and uses up the proof that it comes with. */
async function prove({ url, settings }: Service, provider: TestProvider): Promise<void> {
  const key = newDpopKey();
  const claims = { iss: issuer, sub: 'release|hal', cnf: { jkt: key.thumbprint } };
  const token = await provider.token(claims);
  const proof = proofBy(key, { method: 'GET', url: `${settings.BASE_URL}${me}`, token });
  const reply = await withProof(url + me, token, proof);
  assert.equal(reply.status, 200, reply.text);
}
