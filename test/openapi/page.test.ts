import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { documentWith } from '../../docs/openapi-document.ts';
import { referencePage } from '../../src/openapi/page.ts';
import { referenceStyle } from '../../src/openapi/page-style.ts';
import { openapi, referencePageHandler, referenceStyleHandler } from '../../src/openapi/serve.ts';
import { inputWith } from '../support/input.ts';
import { everything, unusual } from './samples.ts';

const hostile = {
  ...everything,
  name: 'hostile',
  title: `</h3><script>alert(1)</script>"'&`,
  description: '<img src=x onerror=alert(1)>\n\n]]><style>*{}</style>',
  schema: {
    ...everything.schema,
    properties: {
      ...(everything.schema.properties as object),
      '<svg/onload=alert(1)>': { type: 'string', enum: ['</code><script>', "'; rm -rf / #"], title: '<i>' },
    },
  },
};
const about = { version: '1.2.3', baseUrl: 'https://api.example.org' };
const document = documentWith([...unusual, hostile], about);
const page = referencePage(document);
const all = (form: RegExp) => [...page.matchAll(form)].map(([, found = '']) => found);

describe('the reference page', () => {
  it('shows whatever a declaration says as text, and never as markup', () => {
    const tags = new Set(all(/<([a-z][a-z0-9]*)/gi));
    for (const tag of ['script', 'style', 'img', 'svg', 'em', 'b', 'i']) assert.ok(!tags.has(tag), tag);
    assert.doesNotMatch(page, /<[^>]*\son[a-z]+=/);
    assert.match(page, /&lt;script&gt;alert\(1\)&lt;\/script&gt;&quot;&#39;&amp;/);
  });

  it('loads one stylesheet of its own and nothing else', () => {
    assert.deepEqual(all(/<link [^>]*href="([^"]*)"/g), ['docs/style.css']);
    assert.deepEqual(all(/<[^>]*\s(src|style|action|srcset)=/g), []);
    assert.doesNotMatch(referenceStyle, /url\(|@import/);
  });

  it('has every operation under its name, and every link leads somewhere', () => {
    const ids = all(/ id="([^"]+)"/g);
    assert.equal(new Set(ids).size, ids.length);
    for (const item of Object.values(document.paths)) {
      for (const { operationId } of Object.values(item)) assert.ok(ids.includes(operationId), operationId);
    }
    for (const target of all(/ href="#([^"]+)"/g)) assert.ok(ids.includes(target), target);
    for (const named of all(/ aria-labelledby="([^"]+)"/g)) assert.ok(ids.includes(named), named);
  });

  it('closes what it opens, in order', () => {
    const open: string[] = [];
    for (const [, end, tag = ''] of page.matchAll(/<(\/?)([a-z][a-z0-9]*)/g)) {
      if (['meta', 'link'].includes(tag)) continue;
      if (end === '') open.push(tag);
      else assert.equal(open.pop(), tag);
    }
    assert.deepEqual(open, []);
  });

  it('goes down one heading at a time, from the only first one', () => {
    const levels = all(/<h([1-6])/g).map(Number);
    assert.deepEqual(
      levels.filter((level) => level === 1),
      [1],
    );
    levels.forEach((level, index) => {
      assert.ok(level <= (levels[index - 1] ?? 0) + 1);
    });
  });

  it('can be read without seeing it and used without a mouse', () => {
    assert.match(page, /^<!doctype html>\n<html lang="en">/);
    assert.match(page, /<a class="skip" href="#content">/);
    for (const region of all(/<(?:pre|div class="scroll")([^>]*)>/g)) assert.match(region, /tabindex="0"/);
    assert.match(referenceStyle, /:focus-visible/);
    assert.match(referenceStyle, /light-dark\(/);
  });

  it('shows how to call it from a shell, whatever the example contains', () => {
    assert.match(page, /curl -X POST &quot;https:\/\/api\.example\.org\/api\/consumer\/v1\/x&quot;/);
    assert.match(page, /-d &#39;\{&quot;text&quot;:&quot;text&quot;\}&#39;/);
    const quoted = documentWith([{ ...everything, schema: quotedSchema, checkFields: () => [] }], about);
    assert.match(referencePage(quoted), /-d &#39;\{&quot;a&quot;:&quot;it&#39;\\&#39;&#39;s&quot;\}&#39;/);
  });
});

const quotedSchema = { type: 'object', properties: { a: { const: "it's" } }, additionalProperties: false };

describe('what serves the description', () => {
  it('answers each with its type, for anybody to keep for a while', async () => {
    const handlers = [openapi(() => document), referencePageHandler(() => document), referenceStyleHandler()];
    const answers = await Promise.all(handlers.map((handle) => handle(inputWith({}))));
    assert.deepEqual(
      answers.map(({ status, contentType, cacheControl }) => [status, contentType, cacheControl]),
      [
        [200, 'application/json', 'public, max-age=300'],
        [200, 'text/html; charset=utf-8', 'public, max-age=300'],
        [200, 'text/css; charset=utf-8', 'public, max-age=300'],
      ],
    );
    assert.deepEqual(JSON.parse(answers[0]?.text ?? ''), JSON.parse(JSON.stringify(document)));
  });
});
