import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { after, before, describe, it } from 'node:test';
import { endOf, exits, newDirectory, refused } from '../support/commands/outcome.ts';
import { until } from '../support/run/polling.ts';
import { type Development, shellIn, startDevelopment } from '../support/services/development.ts';
import { SignedIn } from '../support/tokens/signed-in.ts';

const bookings = `
schema: { required: [seats], properties: { seats: { type: integer } } }
roles: { moderator: { scope: bookings.moderate } }
access: { read: [owner, moderator], scopes: { read: bookings.read, write: bookings.write } }`;
const pageScopes = ['bookings.read', 'bookings.write', 'bookings.moderate'];

describe('the users of vestibule dev', () => {
  const folder = newDirectory();
  const declare = (text: string) => writeFileSync(`${folder}/dev-users.yaml`, text);
  let dev: Development;
  const me = async (token: string) => {
    const headers = { authorization: `Bearer ${token}` };
    const reply = await fetch(`http://127.0.0.1:${dev.port}/api/consumer/v1/me`, { headers });
    return ((await reply.json()) as { readonly scopes: readonly string[] }).scopes;
  };
  const tokenOf = async (options: string) =>
    (await shellIn(folder, `npx vestibule dev token ${options}`)).trim();
  const signedIn = async (user: string) => {
    const { accessToken } = await SignedIn.signIn(
      {
        origin: `http://127.0.0.1:${dev.providerPort}`,
        clientId: 'dev-web',
        redirectUri: `http://127.0.0.1:${dev.port}/`,
        scopes: pageScopes,
      },
      user,
    );
    return me(accessToken);
  };

  before(async () => {
    mkdirSync(`${folder}/collections`);
    writeFileSync(`${folder}/collections/bookings.yaml`, bookings);
    declare('Grace: [bookings.read]\nalan: []\nmona: [bookings.read, bookings.moderate]\n');
    dev = await startDevelopment(folder, { OPS_PORT: '0' });
  });
  after(() => dev?.stop());

  it('have the scopes of dev-users.yaml, or those of access if not listed', async () => {
    assert.deepEqual(await me(await tokenOf('--user grace')), ['consumer', 'bookings.read']);
    assert.deepEqual(await me(await tokenOf('--user alan')), ['consumer']);
    assert.deepEqual(await me(await tokenOf('--user mona')), [
      'consumer',
      'bookings.read',
      'bookings.moderate',
    ]);
    assert.deepEqual(await me(await tokenOf('--user ada')), ['consumer', 'bookings.read', 'bookings.write']);
  });

  it('have the same scopes after a sign-in, for which the page asks for all', async () => {
    const page = await (await fetch(`http://127.0.0.1:${dev.port}/web/config.json`)).text();
    for (const scope of pageScopes) assert.ok(page.includes(scope), page);
    assert.deepEqual(await signedIn('grace'), ['consumer', 'bookings.read']);
    assert.deepEqual(await signedIn('mona'), ['consumer', 'bookings.read', 'bookings.moderate']);
    assert.deepEqual(await signedIn('ada'), ['consumer', 'bookings.read', 'bookings.write']);
  });

  it('have fewer scopes with --scope, and never more than their own', async () => {
    assert.deepEqual(await me(await tokenOf('--user ada --scope bookings.read')), ['bookings.read']);
    const two = await tokenOf('--user ada --scope consumer --scope bookings.write');
    assert.deepEqual(await me(two), ['consumer', 'bookings.write']);
    for (const [user, scope] of [
      ['grace', 'bookings.write'],
      ['ada', 'bookings.raed'],
    ] as const)
      refused(
        await endOf({}, ['dev', 'token', '--user', user, '--scope', scope], folder),
        new RegExp(
          `does not have the scope ${scope}\\. The scopes of the user are: consumer bookings\\.read`,
        ),
      );
  });

  it('change with the file, unless it has a mistake', async () => {
    declare('grace: bookings.write\n');
    const mistake = 'dev-users.yaml:1: grace must be a list of scopes';
    await until(dev.printed, (text) => text.includes(mistake), 'the mistake is not named');
    assert.deepEqual(await me(await tokenOf('--user grace')), ['consumer', 'bookings.read']);
    declare('grace: [bookings.write]\n');
    await until(dev.printed, (text) => text.includes('scopes of users have changed'), 'nothing is said');
    assert.deepEqual(await me(await tokenOf('--user grace')), ['consumer', 'bookings.write']);
  });

  it('are validated before dev starts, with all mistakes', async () => {
    const elsewhere = newDirectory();
    writeFileSync(`${elsewhere}/dev-users.yaml`, 'ada: 5\ngrace: [a b]\n');
    const outcome = await endOf({ OPS_PORT: '0' }, ['dev'], elsewhere);
    exits(1, outcome, /dev-users\.yaml:1: ada must be a list/, /dev-users\.yaml:2: grace must be a list/);
  });
});
