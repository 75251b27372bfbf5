import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { Script } from 'node:vm';
import { documentWith } from '../../docs/openapi-document.ts';
import { referencePage } from '../../src/openapi/page.ts';
import {
  openapi,
  referencePageHandler,
  referenceScriptHandler,
  referenceStyleHandler,
} from '../../src/openapi/serve.ts';
import { inputWith } from '../support/input.ts';
import { everything, unusual } from './samples.ts';

const referenceScript = readFileSync('web/reference/script.js', 'utf8');
const referenceStyle = readFileSync('web/reference/style.css', 'utf8');

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
    for (const tag of ['style', 'img', 'em', 'b', 'i']) assert.ok(!tags.has(tag), tag);
    assert.equal(all(/<(svg)/gi).length, 1, 'the mark of the house');
    assert.doesNotMatch(page, /<[^>]*\son[a-z]+=/);
    assert.match(page, /&lt;script&gt;alert\(1\)&lt;\/script&gt;&quot;&#39;&amp;/);
  });

  it('loads one stylesheet and one script of its own, and nothing else', () => {
    assert.deepEqual(all(/<link [^>]*href="([^"]*)"/g), ['docs/style.css']);
    assert.deepEqual(all(/<script([^>]*>[^<]*)/g), [' src="docs/script.js" defer>']);
    assert.deepEqual(all(/<[^>]*\s(src|style|action|srcset)=/g), ['src']);
    assert.doesNotMatch(referenceStyle, /url\(|@import/);
  });

  it('has a script that makes no markup of texts, keeps nothing, and asks nobody but this service', () => {
    assert.doesNotThrow(() => new Script(referenceScript));
    assert.doesNotMatch(
      referenceScript,
      /innerHTML|outerHTML|insertAdjacent|document\.write|eval|Function\(/,
    );
    assert.doesNotMatch(referenceScript, /localStorage|sessionStorage|cookie|indexedDB|caches|postMessage/);
    assert.doesNotMatch(referenceScript, /https?:|import/);
    assert.equal(referenceScript.match(/\bfetch\(/g)?.length, 1);
  });

  it('is in the colours of the reference frontend', () => {
    const house = readFileSync('web/src/style/tokens.css', 'utf8');
    const [light = '', dark = ''] = house.split('@media');
    for (const [, name = '', day, night] of referenceStyle.matchAll(
      /(--\w[\w-]*): light-dark\((\S+), (\S+)\);/g,
    )) {
      assert.ok(light.includes(`${name}: ${day};`), name);
      assert.ok(dark.includes(`${name}: ${night};`), name);
    }
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
      if (['meta', 'link', 'input'].includes(tag)) continue;
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
    for (const region of all(/<pre([^>]*)>/g)) assert.match(region, /tabindex="0" aria-label="/);
    const labelled = all(/<label for="([^"]+)"/g);
    for (const field of all(/<(?:input|textarea) id="([^"]+)"/g)) assert.ok(labelled.includes(field), field);
    assert.equal(all(/<(input|textarea)\b/g).length, labelled.length);
    assert.match(referenceStyle, /:focus-visible/);
    assert.match(referenceStyle, /light-dark\(/);
  });

  it('shows of each operation how it is called before anything else, and folds its errors', () => {
    const operations = page.split('<article ').slice(1);
    assert.equal(operations.length, all(/<(article) /g).length);
    for (const operation of operations) {
      const [line = '', inner = ''] = operation.split('</summary>\n<div class="inner">');
      assert.match(line, /<details class="operation">/, 'folded to a line');
      assert.ok(inner.indexOf('<pre') < inner.indexOf('<h4>'), 'the call comes first');
      const errors = inner.split('<details class="fold"><summary>Errors: ')[1] ?? assert.fail(operation);
      assert.doesNotMatch(inner.replace(errors, ''), /class="status s[45]"/);
      assert.match(errors, /class="status s4"/);
    }
  });

  it('shows how a request is proven, and offers nothing to try, where no plain bearer token is taken', () => {
    const tokens = { dpop: 'required', nonce: false } as const;
    const bound = referencePage(documentWith([...unusual], { ...about, tokens }));
    assert.match(bound, /Authorization: DPoP \$TOKEN&quot; \\\n {2}-H &quot;DPoP: \$PROOF&quot;/);
    assert.doesNotMatch(bound, /Bearer \$TOKEN|data-token="yes"|id="token"|data-path="\/token"/);
    assert.match(bound, /\/token&quot; \\\n {2}-H &quot;DPoP: \$PROOF&quot;/);
    assert.match(bound, /data-token="no"/);
    assert.match(page, /data-token="yes"/);
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
    const handlers = [
      openapi(() => document),
      referencePageHandler(() => document),
      referenceStyleHandler(),
      referenceScriptHandler(),
    ];
    const answers = await Promise.all(handlers.map((handle) => handle(inputWith({}))));
    assert.deepEqual(
      answers.map(({ status, contentType, cacheControl }) => [status, contentType, cacheControl]),
      [
        [200, 'application/json', 'public, max-age=300'],
        [200, 'text/html; charset=utf-8', 'public, max-age=300'],
        [200, 'text/css; charset=utf-8', 'public, max-age=300'],
        [200, 'text/javascript; charset=utf-8', 'public, max-age=300'],
      ],
    );
    assert.deepEqual(JSON.parse(answers[0]?.text ?? ''), JSON.parse(JSON.stringify(document)));
  });
});
