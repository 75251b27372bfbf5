import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { documentWith } from '../../docs/openapi-document.ts';
import { everything } from '../support/services/unusual-declarations.ts';
import { browsing } from './browser.ts';
import { fits } from './page-checks.ts';

const running = await browsing();
const visitor = await running.signedIn('Reading');

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

  it('escapes text of a declaration', async () => {
    const title = '</h3><script>document.title = 1</script>';
    const document = documentWith([{ ...everything, name: 'hostile', title }], {
      version: '1.2.3',
      baseUrl: 'https://api.example.org',
    });
    await visitor.page.route('**/openapi.json', (route) => route.fulfill({ json: document }));
    await visitor.page.reload();
    await visitor.page.getByText(title).first().waitFor();
    assert.notEqual(await visitor.page.title(), '1');
    await visitor.page.unroute('**/openapi.json');
  });
});
