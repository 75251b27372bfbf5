import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { documentWith } from '../../docs/openapi-document.ts';
import { everything } from '../support/services/unusual-declarations.ts';
import { browsing } from './browser.ts';
import { Visitor } from './browser-visitor.ts';
import { fits } from './page-checks.ts';

const running = await browsing();
const visitor = await running.visitor();

describe('the API reference at /docs, in short', () => {
  const open = async () => {
    await visitor.page.goto(`${visitor.site.origin}/docs`);
    await visitor.page.locator('article').first().waitFor();
  };

  it('shows all operations within the width of a phone', async () => {
    await open();
    await fits(visitor.page, 390);
    assert.ok((await visitor.page.locator('article').count()) > 30);
  });

  it('signs in by the frontend in another window, and stores no token', async () => {
    const { page, context, site } = visitor;
    await open();
    const bystander = await context.newPage();
    await bystander.goto(`${site.origin}/docs`);
    await bystander.getByRole('button', { name: 'Sign in' }).waitFor();
    const [popup] = await Promise.all([page.waitForEvent('popup'), visitor.button('Sign in').click()]);
    const inPopup = new Visitor(site, context, popup);
    await inPopup.button('Sign in').click();
    await inPopup.logIn('Reading');
    await visitor.sees('You are signed in.');
    const first = page.locator('.steps').getByRole('listitem').filter({ hasText: 'Send a request' });
    await first.getByRole('button', { name: 'Send' }).click();
    await first.getByText('200 OK').waitFor();
    const token = await page.getByLabel('Access token').inputValue();
    assert.match(token, /^[\w-]+\.[\w-]+\.[\w-]+$/);
    assert.equal(await bystander.getByLabel('Access token').inputValue(), '', 'another tab has not asked');
    assert.deepEqual(running.log.addressesWith(token), []);
    const kept = await page.evaluate<string>(
      'JSON.stringify([localStorage, sessionStorage, document.cookie])',
    );
    assert.equal(kept.includes(token), false);
    await bystander.close();
  });

  it('escapes text of a declaration', async () => {
    const title = '</h3><script>document.title = 1</script>';
    const document = documentWith([{ ...everything, name: 'hostile', title }], {
      version: '1.2.3',
      baseUrl: 'https://api.example.org',
    });
    await visitor.page.route('**/openapi.json', (route) => route.fulfill({ json: document }));
    await visitor.page.reload();
    await visitor.page.locator('main').getByText(title).first().waitFor();
    assert.notEqual(await visitor.page.title(), '1');
    await visitor.page.unroute('**/openapi.json');
  });
});
