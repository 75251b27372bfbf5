import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { documentWith } from '../../docs/openapi-document.ts';
import { matrixOf } from '../../src/collections/matrix.ts';
import { everything, shared, unusual } from '../support/services/unusual-declarations.ts';
import { browsing } from './browser.ts';
import { fits } from './page-checks.ts';

/** A fifth of the former height for two collections; this site has more. */
const tallest = 8_400;

const running = await browsing();
const visitor = await running.signedIn('Reading');
const { token } = visitor.elsewhere();
const errors: string[] = [];
visitor.page.on('pageerror', ({ message }) => errors.push(message));

/** Opens the page, at a hash or as it is, and waits until its script has drawn it. */
async function open(hash = ''): Promise<void> {
  await visitor.page.goto(`${visitor.site.origin}/docs${hash}`);
  await visitor.page.reload();
  await visitor.page.locator('article').first().waitFor();
}
await open();

describe('the API reference at /docs, in a browser', () => {
  const operation = (id: string) => visitor.page.locator('article', { has: visitor.page.locator(`#${id}`) });
  const isOpen = (id: string) => operation(id).locator('.operation').getAttribute('open');
  const unfoldAll = (isOpen: boolean) =>
    visitor.page.evaluate(`for (const fold of document.querySelectorAll('details')) fold.open = ${isOpen};`);

  it('shows all operations folded, within the width of a phone and a desktop', async () => {
    for (const width of [390, 1280]) {
      await fits(visitor.page, width);
      const height = await visitor.page.evaluate<number>('document.documentElement.scrollHeight');
      assert.ok(height <= tallest, `${height} pixels tall at ${width}`);
    }
    assert.ok((await visitor.page.locator('article').count()) > 30);
  });

  it('an unfolded operation is not wider than a phone', async () => {
    await unfoldAll(true);
    await fits(visitor.page, 390);
    await unfoldAll(false);
    await fits(visitor.page, 1280);
  });

  it('a link in the contents unfolds its operation, which begins with the curl command', async () => {
    assert.equal(await isOpen('boards_do_mark'), null);
    const contents = visitor.page.getByRole('navigation', { name: 'Contents' });
    await contents.locator('a[href="#boards_do_mark"]').click();
    assert.equal(await isOpen('boards_do_mark'), '');
    await operation('boards_do_mark')
      .getByText(/^curl -X POST .*\/boards\/\$ID\/mark/)
      .waitFor();
    await operation('boards_do_mark')
      .getByText(/^Errors: 403, 409, 412, default$/)
      .waitFor();
    assert.equal(await operation('boards_do_mark').getByText('token_expired').first().isVisible(), false);
  });

  it('a link from outside unfolds its operation; an error name leads to its description', async () => {
    await open('#stones_create');
    assert.equal(await isOpen('stones_create'), '');
    await operation('stones_create')
      .getByText(/^Errors: /)
      .click();
    await operation('stones_create').getByRole('link', { name: 'quota_exceeded' }).click();
    await visitor.page.locator('#error-quota_exceeded').waitFor();
    assert.ok(await visitor.page.locator('#error-quota_exceeded').isVisible());
  });

  it('a damaged fragment in the address causes no error', async () => {
    for (const cutOff of ['#%', '#%E4', '#nothing-of-this-name']) {
      await open(cutOff);
      // The rest of the script has run.
      await visitor.page.getByLabel('Filter').fill('no operation is like this');
      assert.equal(await visitor.page.locator('article').filter({ visible: true }).count(), 0, cutOff);
      await visitor.page.getByLabel('Filter').fill('');
      // A later change of the fragment is handled, too.
      await visitor.page.evaluate(`location.hash = '${cutOff}x'`);
    }
    assert.deepEqual(errors, []);
  });

  it('the filter matches words of an operation, in the list and in the contents', async () => {
    await visitor.page.getByLabel('Filter').fill('BOARDS take');
    const shown = visitor.page.locator('article').filter({ visible: true });
    assert.equal(await shown.count(), 1);
    await shown.getByText('Take down a board', { exact: true }).waitFor();
    assert.equal(await visitor.page.locator('nav ul ul li').filter({ visible: true }).count(), 1);
    await visitor.page.getByLabel('Filter').fill('nothing of the kind');
    await visitor.sees('No operation matches the search.');
    await visitor.page.getByLabel('Filter').fill('');
    assert.ok((await shown.count()) > 30);
  });

  describe('the form "Try it"', () => {
    const trying = async (id: string) => {
      await visitor.page.goto(`${visitor.site.origin}/docs#${id}`);
      const form = operation(id).locator('.try');
      if ((await form.getAttribute('open')) === null) await form.getByText('Try it').click();
      return form;
    };

    it('asks for a token before it sends a request', async () => {
      const form = await trying('stones_list');
      await form.getByRole('button', { name: 'Send' }).click();
      await form.getByText('Enter an access token in the field at the top first.').waitFor();
      await visitor.page.locator('#token:focus').waitFor();
    });

    it('sends its body with the pasted token and shows the answer', async () => {
      await visitor.page.getByLabel('Access token').fill(token);
      const form = await trying('stones_create');
      await form.getByLabel('Body').fill('{"colour":"Onyx"}');
      await form.getByRole('button', { name: 'Send' }).click();
      await form.getByText('201 Created').waitFor();
      await form.getByText('"colour": "Onyx"').waitFor();
      const [stone] = await visitor.elsewhere().all('stones');
      assert.equal(stone?.colour, 'Onyx');
    });

    it('sends filled parameters and leaves out empty ones', async () => {
      const form = await trying('stones_list');
      await form.getByLabel('limit').fill('1');
      const sent = visitor.page.waitForRequest((request) => request.url().includes('/stones'));
      await form.getByRole('button', { name: 'Send' }).click();
      assert.equal(new URL((await sent).url()).search, '?limit=1');
      await form.getByText('200 OK').waitFor();
    });

    it('shows a refusal with its status and code', async () => {
      const form = await trying('stones_create');
      await form.getByLabel('Body').fill('{"colour":1}');
      await form.getByRole('button', { name: 'Send' }).click();
      await form.getByText('422 Unprocessable Entity').waitFor();
      await form.getByText('validation_failed').waitFor();
      running.caused('422 /api/consumer/v1/stones');
    });

    it('asks before it deletes', async () => {
      const [stone] = await visitor.elsewhere().all('stones');
      const form = await trying('stones_delete');
      await form.getByLabel('id').fill(String(stone?.id));
      visitor.page.once('dialog', (dialog) => dialog.dismiss());
      await form.getByRole('button', { name: 'Send' }).click();
      assert.equal((await visitor.elsewhere().all('stones')).length, 1);
      visitor.page.once('dialog', (dialog) => dialog.accept());
      await form.getByRole('button', { name: 'Send' }).click();
      await form.getByText('204 No Content').waitFor();
      assert.equal((await visitor.elsewhere().all('stones')).length, 0);
    });

    it('stores the token nowhere', async () => {
      const kept = await visitor.page.evaluate<string>(
        'JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie, location.href])',
      );
      assert.ok(!kept.includes(token));
      await visitor.page.reload();
      assert.equal(await visitor.page.getByLabel('Access token').inputValue(), '');
    });
  });

  it('axe finds no serious problem, folded or unfolded', async () => {
    await open();
    // Two operations, links and rows stand for the others, which are drawn alike: a search of the whole page takes long.
    await visitor.page.evaluate(`
      const [, second, ...others] = document.querySelectorAll('article');
      for (const other of others) other.remove();
      for (const more of document.querySelectorAll('nav li:nth-child(n + 3), .rows > :nth-child(n + 3)')) more.remove();
      for (const fold of second.querySelectorAll('details')) fold.open = true;
      null`);
    await visitor.isAccessible();
  });

  it('without JavaScript it links to the OpenAPI document and shows no script controls', async () => {
    const browser = visitor.context.browser();
    const context = await browser?.newContext({ javaScriptEnabled: false });
    const page = (await context?.newPage()) ?? assert.fail();
    await page.goto(`${visitor.site.origin}/docs`);
    for (const hidden of ['#filter', '#token'])
      assert.equal(await page.locator(hidden).first().isVisible(), false);
    await page.getByRole('link', { name: 'OpenAPI document' }).click();
    assert.equal(page.url(), `${visitor.site.origin}/openapi.json`);
    await context?.close();
  });

  it('it reports that the document cannot be read', async () => {
    await visitor.page.route('**/openapi.json', (route) => route.fulfill({ status: 503 }));
    await visitor.page.goto(`${visitor.site.origin}/docs`);
    await visitor.sees('The OpenAPI document could not be read: 503');
    await visitor.page.unroute('**/openapi.json');
    running.caused('503 /openapi.json');
  });

  describe('drawn from any OpenAPI document', () => {
    const about = { version: '1.2.3', baseUrl: 'https://api.example.org' };
    const hostile = {
      ...everything,
      name: 'hostile',
      title: `</h3><script>alert(1)</script>"'&`,
      description: '<img src=x onerror=alert(1)>\n\n]]><style>*{}</style>',
      schema: {
        ...everything.schema,
        properties: {
          ...(everything.schema.properties as object),
          '<svg/onload=alert(1)>': {
            type: 'string',
            enum: ['</code><script>', "'; rm -rf / #"],
            title: '<i>',
          },
        },
      },
    };
    const quotedSchema = {
      type: 'object',
      properties: { a: { const: "it's" } },
      additionalProperties: false,
    };
    const shown = documentWith([...unusual, hostile], about);
    let markup = '';
    const all = (form: RegExp) => [...markup.matchAll(form)].map(([, found = '']) => found);
    const draw = async (document: object) => {
      await visitor.page.route('**/openapi.json', (route) => route.fulfill({ json: document }));
      await open();
      await visitor.page.unroute('**/openapi.json');
      return visitor.page.evaluate<string>('document.documentElement.outerHTML');
    };
    const calls = () => visitor.page.getByLabel('Example for a shell').allTextContents();
    before(async () => {
      markup = await draw(shown);
    });

    it('text of a declaration is escaped, never markup', async () => {
      const tags = new Set(all(/<([a-z][a-z0-9]*)/gi));
      for (const tag of ['style', 'img', 'em', 'b', 'i']) assert.ok(!tags.has(tag), tag);
      assert.equal(all(/<(svg)/gi).length, 1, 'the logo');
      assert.equal(all(/<(script)/gi).length, 1);
      assert.doesNotMatch(markup, /<[^>]*\son[a-z]+=/);
      assert.match(markup, /&lt;script&gt;alert\(1\)&lt;\/script&gt;"'&amp;/);
    });

    it('every operation has its anchor, and every link leads to one', () => {
      const ids = all(/ id="([^"]+)"/g);
      assert.equal(new Set(ids).size, ids.length);
      for (const item of Object.values(shown.paths)) {
        for (const { operationId } of Object.values(item)) assert.ok(ids.includes(operationId), operationId);
      }
      for (const target of all(/ href="#([^"]+)"/g)) assert.ok(ids.includes(target), target);
      for (const named of all(/ aria-labelledby="([^"]+)"/g)) assert.ok(ids.includes(named), named);
    });

    it('heading levels descend without gaps from one h1', () => {
      const levels = all(/<h([1-6])/g).map(Number);
      assert.equal(levels.filter((level) => level === 1).length, 1);
      levels.forEach((level, index) => {
        assert.ok(level <= (levels[index - 1] ?? 0) + 1);
      });
    });

    it('code blocks and fields have accessible names', () => {
      for (const region of all(/<pre([^>]*)>/g)) assert.match(region, /tabindex="0" aria-label="/);
      const labelled = all(/<label for="([^"]+)"/g);
      for (const field of all(/<(?:input|textarea) id="([^"]+)"/g))
        assert.ok(labelled.includes(field), field);
      assert.equal(all(/<(input|textarea)\b/g).length, labelled.length);
    });

    it('an operation begins with its curl command, and its errors are folded', () => {
      const operations = markup.split('<article ').slice(1);
      assert.ok(operations.length > 10);
      for (const operation of operations) {
        const [line = '', inner = ''] = operation.split('</summary><div class="inner">');
        assert.match(line, /<details class="operation">/, 'folded to a line');
        assert.ok(inner.indexOf('<pre') < inner.indexOf('<h4>'), 'the call comes first');
        const errors = inner.split('<details class="fold"><summary>Errors: ')[1] ?? assert.fail(operation);
        assert.doesNotMatch(inner.replace(errors, ''), /class="status s[45]"/);
        assert.match(errors, /class="status s4"/);
      }
    });

    it('the access table equals `check --matrix`, for collections with roles only', async () => {
      const table = visitor.page.getByRole('region', { name: 'Who may do what in shared-things' });
      const withRoles = unusual.filter(({ isShared }) => isShared).map(({ name }) => name);
      const named = await visitor.page
        .getByRole('region', { name: /^Who may do what in /, includeHidden: true })
        .all();
      assert.equal(named.length, withRoles.length);
      for (const summary of await visitor.page.getByText('Who may do what', { exact: true }).all())
        await summary.click();
      await fits(visitor.page, 390);
      await fits(visitor.page, 1280);
      const { states, rows } = matrixOf(shared);
      const expected = rows
        .filter((row) => row.states.length > 0)
        .map(({ verb, states: of }) => [verb, ...states.map((state) => (of.includes(state) ? 'yes' : '–'))]);
      const shownRows = await table.locator('tbody tr').all();
      const cells = shownRows.map((row) => row.locator('th[scope=row], td').allInnerTexts());
      assert.deepEqual(await Promise.all(cells), expected);
      assert.deepEqual(await table.locator('th[rowspan]').allInnerTexts(), [
        ...new Set(rows.filter((row) => row.states.length > 0).map(({ role }) => role)),
      ]);
    });

    it('the curl command quotes any example safely', async () => {
      const lines = (await calls()).join('\n');
      assert.match(lines, /curl -X POST "https:\/\/api\.example\.org\/api\/consumer\/v1\/x"/);
      assert.match(lines, /-d '\{"text":"text"\}'/);
      await draw(documentWith([{ ...everything, schema: quotedSchema, checkFields: () => [] }], about));
      assert.match((await calls()).join('\n'), /-d '\{"a":"it'\\''s"\}'/);
    });

    it('with DPoP required it shows the proof header and offers no form to try', async () => {
      const tokens = { dpop: 'required', nonce: false } as const;
      assert.ok(await visitor.page.getByLabel('Access token').isVisible());
      await draw(documentWith([...unusual], { ...about, tokens }));
      const lines = (await calls()).join('\n');
      assert.match(lines, /Authorization: DPoP \$TOKEN" \\\n {2}-H "DPoP: \$PROOF"/);
      assert.match(lines, /\/token" \\\n {2}-H "DPoP: \$PROOF"/);
      assert.doesNotMatch(lines, /Bearer \$TOKEN/);
      assert.equal(await visitor.page.getByLabel('Access token').isVisible(), false);
      assert.equal(await operation('readMe').locator('.try').count(), 0);
      assert.equal(await operation('issueToken').locator('.try').count(), 0);
      assert.equal(await operation('readOpenapi').locator('.try').count(), 1);
    });
  });
});
