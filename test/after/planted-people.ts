import assert from 'node:assert/strict';
import { Buffer } from 'node:buffer';
import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { encodings } from '../support/faults/canaries.ts';
import type { Needle } from '../support/faults/traces.ts';
import { ApiCaller } from '../support/http/api-caller.ts';
import { EventStream } from '../support/http/event-stream.ts';
import { peopleDeclarations } from '../support/people/declarations.ts';
import { Person } from '../support/people/person.ts';
import { declarationsFolder } from '../support/services/declarations.ts';
import type { Service, Settings } from '../support/services/service.ts';
import type { TestProvider } from '../support/tokens/provider.ts';
import { WebhookReceiver } from '../support/webhooks/webhook-receiver.ts';
import { webhookCommand } from '../support/webhooks/webhook-stage.ts';

export function peopleSettings(): Settings {
  const sdk = pathToFileURL(resolve('test/support/services/traced.ts')).href;
  return {
    COLLECTIONS_DIR: declarationsFolder({ teams: peopleDeclarations.teams ?? '' }),
    WEBHOOK_ALLOW: 'loopback',
    NODE_OPTIONS: `--import ${sdk}`,
  };
}

/** People who invite each other, in a service that also sends webhooks and exports traces. */
export async function plantPeople({ url, settings }: Service, provider: TestProvider) {
  const receiver = await WebhookReceiver.start();
  await webhookCommand(settings, 'add', receiver.url, '--events', '*');
  const person = async (name: string) =>
    new Person(new ApiCaller(url, await provider.token({ sub: `planted ${name}`, sid: name })));
  const [ada, bob, cleo] = [await person('ada'), await person('bob'), await person('cleo')];
  const one = `teams/${await ada.make('teams', { title: 'Us' })}`;
  const stream = await EventStream.open(ada.caller);
  const used = await ada.codeFor(one, { role: 'admin' });
  const codes = [
    used,
    await ada.codeFor(one, { role: 'member', uses: 5 }),
    await ada.codeFor(one, { role: 'admin' }),
  ];
  assert.equal((await bob.post('invitations', { code: used })).status, 200);
  assert.equal((await cleo.post('invitations', { code: codes[1] })).status, 200);
  for (const code of codes) assert.notEqual((await bob.post('invitations', { code })).status, 200);
  assert.equal((await cleo.post('invitations', { code: `${codes[2]}x` })).status, 404);
  /** By pseudonym: the alias in the record, and the answers to the person. */
  const people = new Map<string, { readonly alias: string; readonly sent: string }>();
  for (const person of [ada, bob, cleo]) {
    const id = String((await person.get('me')).body.id);
    const alias = await person.aliasIn(one);
    const replies = [];
    for (const path of ['me/export', one, `${one}/members`, 'events?after=0'])
      replies.push((await person.caller.get(`/${path}`)).text);
    people.set(id, { alias, sent: replies.join('\n') });
  }
  assert.equal((await cleo.delete(`${one}/members/me`)).status, 204);
  await stream.until((all) => all.some(({ type }) => type === 'teams.left'), 'no event of leaving');
  stream.close();
  const expected = ['teams.created', 'teams.joined', 'teams.joined', 'teams.left'];
  const webhooks = (await receiver.takes(expected.length)).map(({ body }) => body).join('\n');
  for (const type of expected) assert.ok(webhooks.includes(type), type);
  await receiver.stop();
  writeFileSync(
    `${settings.TEST_DIRECTORY}/sent`,
    [webhooks, ...[...people.values()].map(({ sent }) => sent)].join('\n'),
  );
  return { people, codes: codes.flatMap(needlesOf), webhooks };
}

function needlesOf(code: string): Needle[] {
  const forms = [...encodings(code), ['raw', Buffer.from(code, 'base64url')] as const];
  return forms.map(([form, bytes]) => ({ name: `a code (${form})`, bytes }));
}
