import assert from 'node:assert/strict';
import { text } from 'node:stream/consumers';
import { describe, it } from 'node:test';
import { browsing } from './browser.ts';
import { BrowserLog } from './browser-log.ts';
import { personNamed } from './browser-person.ts';

const person = personNamed('First');

const running = await browsing();
const { log, site } = running;
const visitor = await running.visitor();

/** One person, from sign-in to sign-out. Each test continues where the one before ended. */
describe('the whole trip of one person in a browser', () => {
  it('signs in at the provider', async () => {
    await visitor.signIn('First');
    assert.equal(new URL(visitor.page.url()).search, '', 'the code is not left in the address');
  });

  it('shows name and picture from the provider beside the data of the service', async () => {
    await visitor.me.click();
    await visitor.heading(person.name).waitFor();
    const picture = await visitor.seesPicture('First');
    assert.ok((await picture.getAttribute('src'))?.startsWith(visitor.site.providerOrigin));
    const stored = visitor.page.locator('main dl');
    await stored.getByText(/^usr_[\w-]{43}$/).waitFor();
    assert.doesNotMatch(await stored.innerText(), /Quixotella/i);
    await visitor.sees('0 of 40');
  });

  it('stores no token and no sign-in secret where scripts can read it', async () => {
    const kept = await visitor.page.evaluate(
      'JSON.stringify([localStorage, sessionStorage, document.cookie])',
    );
    assert.doesNotMatch(String(kept), /eyJ/);
    assert.doesNotMatch(String(kept), /verifier|nonce/, 'what was needed on the way is gone');
  });

  it('is still signed in after a reload', async () => {
    await visitor.page.reload();
    await visitor.seesPicture('First');
    await visitor.sees(/^usr_/);
  });

  it('shows an empty collection from its declaration alone', async () => {
    await visitor.link('Lendings').click();
    await visitor.heading('Lendings').waitFor();
    await visitor.sees('What the house lends, and to whom it has gone.');
    await visitor.sees('No lendings yet.');
  });

  it('creates a record with a form drawn from the schema', async () => {
    await visitor.newLink.click();
    await visitor.field('Thing').fill('A ladder');
    await visitor.page.getByLabel('From').fill('2027-03-01T09:30');
    await visitor.field('Count').fill('2');
    await visitor.page.getByLabel('Fragile').check();
    await visitor.page.getByLabel('Condition').selectOption('used');
    await visitor.button('Add to Labels').click();
    await visitor.page.getByLabel('Labels 1').fill('tall');
    await visitor.field('Width').fill('0.6');
    await visitor.saveButton.click();
    await visitor.row('A ladder').waitFor();
    const text = await visitor.page.locator('main').innerText();
    assert.doesNotMatch(text, / of (40|1,000)/, 'a limit comes up only when little of it is left');
    const [record] = await visitor.elsewhere().all('lendings');
    const { id, created_at, updated_at, ...fields } = record ?? assert.fail();
    assert.deepEqual(fields, {
      thing: 'A ladder',
      from: '2027-03-01T08:30:00.000Z',
      count: 2,
      fragile: true,
      condition: 'used',
      labels: ['tall'],
      size: { width: 0.6 },
      state: 'wanted',
      actions: ['hand_out', 'withdraw'],
    });
  });

  it('edits the record', async () => {
    await visitor.edit('A ladder');
    assert.equal(await visitor.page.getByLabel('From').inputValue(), '2027-03-01T09:30');
    await visitor.field('Thing').fill('A long ladder');
    await visitor.field('Remark').fill('With both hands.');
    await visitor.saveButton.click();
    await visitor.title('A long ladder').click();
    await visitor.sees('With both hands.');
    await visitor.link('Back to Lendings').click();
  });

  it('takes the actions that the service offers', async () => {
    await visitor.button('Hand out A long ladder').click();
    await visitor.row('A long ladder').getByText('Lent', { exact: true }).waitFor();
    const offered = ['Open', 'Copy link', 'Select', 'Delete lending…'];
    assert.deepEqual(await visitor.menuOf('A long ladder'), offered);
    await visitor.button('Bring back A long ladder').click();
    await visitor.button('Yes, bring back').click();
    await visitor.row('A long ladder').getByText('Returned', { exact: true }).waitFor();
    assert.equal(await visitor.button(/A long ladder/).count(), 1, 'only the menu is left');
  });

  it('lists by state and chosen order', async () => {
    const caller = visitor.elsewhere();
    for (let number = 1; number <= 11; number += 1) {
      await caller.make('lendings', {
        thing: `Chair ${number}`,
        from: '2027-05-01T08:00:00Z',
        count: 1 + (number % 5),
      });
    }
    await visitor.button('Wanted').click();
    await visitor.row('A long ladder').waitFor({ state: 'detached' });
    await visitor.row('Chair 11').waitFor();
    assert.equal(await visitor.titles.count(), 11, 'the one that was returned is not among them');
    await visitor.page.getByLabel('Order').selectOption('-count');
    await visitor.titles
      .first()
      .and(visitor.page.getByText(/^Chair [49]$/))
      .waitFor();
  });

  it('deletes a record after confirmation', async () => {
    await visitor.remove('Chair 4');
    await visitor.row('Chair 4').waitFor({ state: 'detached' });
    assert.equal((await visitor.elsewhere().all('lendings')).length, 11);
  });

  it('shows the claims of the token and that the service accepts it', async () => {
    assert.equal(await visitor.link('Access token').count(), 0, 'the token is for developers');
    await visitor.asDeveloper();
    await visitor.page.reload();
    await visitor.me.click();
    await visitor.link('Access token').click();
    await visitor.sees('Accepted');
    await visitor.page.getByRole('timer').getByText('Valid for another').waitFor();
    await visitor.page.getByRole('definition').getByText(person.userName, { exact: true }).waitFor();
    await visitor.button('Renew it now').click();
    await visitor.sees('A new token is here.');
  });

  it('exports all records as a complete file', async () => {
    await visitor.me.click();
    const [download] = await Promise.all([
      visitor.page.waitForEvent('download'),
      visitor.button('Export as a file').click(),
    ]);
    assert.match(download.suggestedFilename(), /^(vestibule-)?export-\d{4}-\d\d-\d\d\.ndjson$/);
    const lines = (await text(await download.createReadStream())).trimEnd().split('\n');
    const [consumer, ...rest] = lines.map((line) => JSON.parse(line));
    assert.equal(consumer.type, 'consumer');
    assert.deepEqual(rest.at(-1), { type: 'end', records: 11 });
    const exported = rest.slice(0, -1).map(({ record }) => record.thing);
    const kept = (await visitor.elsewhere().all('lendings')).map(({ thing }) => thing);
    assert.deepEqual(exported.sort(), kept.sort());
  });

  it('erases all data after the words are typed, and shows the receipt', async () => {
    await visitor.button('Erase everything…').click();
    const dialog = visitor.dialog;
    const erase = dialog.getByRole('button', { name: 'Erase everything' });
    assert.equal(await erase.isDisabled(), true);
    await dialog.getByRole('textbox').fill('erase everything');
    await erase.click();
    await visitor.heading('Your data is erased').waitFor();
    const receipt = await visitor.page.getByRole('region', { name: 'Receipt' }).innerText();
    assert.match(receipt, /Lendings\s+11/);
    assert.match(receipt, /Total\s+11/);
    assert.equal((await visitor.elsewhere().all('lendings')).length, 0);
  });

  it('signs out here and at the provider', async () => {
    await visitor.signOut();
    assert.equal(await visitor.page.evaluate('sessionStorage.length'), 0);
    await visitor.page.reload();
    await visitor.button('Sign in').click();
    await visitor.page.getByLabel('Password').waitFor();
  });

  it('control: the network log has the requests to the service and to the provider', () => {
    assert.ok(log.countOf('GET', site.origin) > 5);
    assert.ok(log.countOf('POST', site.providerOrigin) > 1);
  });

  it('control: the network log finds personal data, violations, errors and other hosts', async () => {
    const log = new BrowserLog();
    const { page, site } = await running.visitor(log);
    const said = Buffer.from(`{"who":"${person.name}"}`).toString('base64');
    await page.evaluate(`Promise.all([
      fetch('/api/consumer/v1/me?name=Quixotella'),
      fetch('/api/consumer/v1/me/usage', { headers: { 'x-mail': 'zanzibarnacle@people.example' } }),
      fetch('/api/consumer/v1/me/export', { headers: { authorization: 'Bearer Quixotella' } }),
      fetch('/api/consumer/v1/stones', { method: 'POST', body: '${said}' }),
    ])`);
    assert.deepEqual((await log.tellTales(site.origin)).sort(), [
      'Quixotella in GET /api/consumer/v1/me',
      'Quixotella in POST /api/consumer/v1/stones',
      'Zanzibarnacle in GET /api/consumer/v1/me/usage',
      'Zanzibarnacle in POST /api/consumer/v1/stones',
    ]);
    assert.equal(log.takeErrors().length, 4);

    await page.evaluate("document.body.setAttribute('style', 'color: red')");
    await page.evaluate("console.error('a mistake')");
    await page.goto('http://outside.example/').catch(() => {});
    assert.match(log.violations.join(), /^style-src-attr inline on /);
    assert.match(log.errors.join(), /a mistake/);
    assert.deepEqual(log.outside(site.origins), ['http://outside.example/']);
  });
});
