import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { documentSteps, documentWith } from '../../docs/openapi-document.ts';
import { openapi, referenceAssets, referenceFile } from '../../src/openapi/serve.ts';
import { inputWith } from '../support/http/input.ts';
import { everything } from '../support/services/unusual-declarations.ts';

const read = (name: string) => readFileSync(`web/reference/${name}`, 'utf8');
const page = read('index.html');
const referenceStyle = read('style.css');
const assets = referenceAssets.map(({ name }) => name);
const scripts = assets.filter((name) => name.endsWith('.js'));
const all = (form: RegExp) => [...page.matchAll(form)].map(([, found = '']) => found);

describe('files of the reference page', () => {
  it('are one stylesheet and one module script with its imports, all of them served', () => {
    assert.deepEqual(all(/<link [^>]*href="([^"]*)"/g), ['docs/style.css']);
    assert.deepEqual(all(/<script([^>]*>[^<]*)/g), [' src="docs/script.js" type="module">']);
    assert.deepEqual(all(/<[^>]*\s(src|style|action|srcset)=/g), ['src']);
    assert.doesNotMatch(referenceStyle, /url\(|@import/);
    const files = readdirSync('web/reference').filter((name) => !/\.(ts|html)$/.test(name));
    assert.deepEqual(files.sort(), assets.sort());
  });

  it('insert no markup, store nothing and contact no other host', () => {
    for (const name of scripts) {
      const script = read(name);
      assert.doesNotMatch(script, /innerHTML|outerHTML|insertAdjacent|document\.write|eval|Function\(/, name);
      assert.doesNotMatch(script, /localStorage|sessionStorage|cookie|indexedDB|caches|postMessage/, name);
      assert.doesNotMatch(script, /https?:|import\(|from '(?!\.\/)/, name);
    }
  });

  it('use the colours of the reference frontend', () => {
    const house = readFileSync('web/src/style/tokens.css', 'utf8');
    const [light = '', dark = ''] = house.split('@media (prefers-color-scheme: dark)');
    for (const [, name = '', day, night] of referenceStyle.matchAll(
      /(--\w[\w-]*): light-dark\((\S+), (\S+)\);/g,
    )) {
      assert.ok(light.includes(`${name}: ${day};`), name);
      assert.ok(dark.includes(`${name}: ${night};`), name);
    }
  });

  it('have a language, a skip link and visible focus', () => {
    assert.match(page, /^<!doctype html>\n<html lang="en">/);
    assert.match(page, /<a class="skip" href="#content">/);
    assert.match(referenceStyle, /:focus-visible/);
    assert.match(referenceStyle, /light-dark\(/);
  });
});

describe('handlers of the description', () => {
  it('answer with the right type, cacheable for five minutes', async () => {
    const about = { version: '1.2.3', baseUrl: 'https://api.example.org' };
    const document = documentWith([], about);
    const handlers = [
      openapi(() => documentSteps([], about)),
      referenceFile('index.html'),
      referenceFile('style.css'),
      referenceFile('script.js'),
    ];
    const answers = await Promise.all(handlers.map((handle) => handle(inputWith({}))));
    assert.deepEqual(
      [...answers.map(({ status, cacheControl, contentType }) => [status, cacheControl, contentType])],
      ['application/json', ...['html', 'css', 'javascript'].map((type) => `text/${type}; charset=utf-8`)].map(
        (type) => [200, 'public, max-age=300', type],
      ),
    );
    assert.deepEqual(JSON.parse(String(answers[0]?.text)), JSON.parse(JSON.stringify(document)));
  });

  it('give way to other work while they make the document', async () => {
    const about = { version: '1.2.3', baseUrl: 'https://api.example.org' };
    const many = Array.from({ length: 100 }, (_, index) => ({ ...everything, name: `things-${index}` }));
    let isMade = false;
    function* steps() {
      const document = yield* documentSteps(many, about);
      isMade = true;
      return document;
    }
    const answer = openapi(steps)(inputWith({}));
    let turns = 0;
    while (!isMade) {
      await setImmediate();
      turns += 1;
    }
    await answer;
    assert.ok(turns >= 10, `${turns} turns of the event loop`);
  });
});
