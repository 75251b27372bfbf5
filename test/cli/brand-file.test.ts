import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { loadConfig, SettingsError } from '../../src/config/load.ts';
import { newDirectory } from '../support/commands/outcome.ts';

const folder = newDirectory();
const path = `${folder}/brand.json`;
const svg = '<svg xmlns="http://www.w3.org/2000/svg"/>';

async function load(text: string) {
  writeFileSync(path, text);
  const { brand } = await loadConfig({
    IDP_ORIGIN: 'https://login.example.org',
    API_AUDIENCE: 'https://api.example.org',
    BRAND_FILE: path,
  });
  return brand;
}

async function mistakesOf(brand: object | string): Promise<readonly string[]> {
  try {
    await load(typeof brand === 'string' ? brand : JSON.stringify(brand));
    return [];
  } catch (error) {
    assert.ok(error instanceof SettingsError);
    return error.mistakes;
  }
}

describe('BRAND_FILE', () => {
  it('has title, colours, logo and links, each of them optional', async () => {
    writeFileSync(`${folder}/club.svg`, svg);
    const links = { imprint: 'https://example.org/imprint', privacy: 'https://example.org/privacy' };
    const accent = { light: '#7a1f5c', dark: '#F2B8DD' };
    assert.deepEqual(
      await load(JSON.stringify({ title: 'Harbour Club', accent, logo: 'club.svg', ...links })),
      {
        title: 'Harbour Club',
        accents: {
          light: { accent: '#7a1f5c', onAccent: '#ffffff' },
          dark: { accent: '#F2B8DD', onAccent: '#000000' },
        },
        logo: svg,
        ...links,
      },
    );
    assert.deepEqual(await load('{}'), { accents: null, logo: null });
  });

  it('a single accent is made paler for the dark scheme', async () => {
    const accents = (await load('{"accent": "#1d5b4a"}'))?.accents;
    assert.equal(accents?.light.accent, '#1d5b4a');
    assert.deepEqual(await mistakesOf({ accent: { light: '#1d5b4a', dark: accents?.dark.accent } }), []);
    assert.notEqual(accents?.dark.accent, '#ffffff');
  });

  it('an accent with too little contrast is refused with the figure and the scheme', async () => {
    assert.deepEqual(await mistakesOf({ accent: '#f2c94c' }), [
      'BRAND_FILE: accent #f2c94c on #fffefb has a contrast of 1.57, and needs 4.5. Choose a darker colour.',
    ]);
    assert.deepEqual(await mistakesOf({ accent: { light: '#1d5b4a', dark: '#1d5b4a' } }), [
      'BRAND_FILE: accent.dark #1d5b4a on #1a1f1c has a contrast of 2.1, and needs 4.5. Choose a lighter colour.',
    ]);
    // 4.54 on white, and too little on the paper.
    assert.match(
      String(await mistakesOf({ accent: '#767676' })),
      /#767676 on #f6f4ee has a contrast of 4\.1/,
    );
  });

  it('the contrast is that on the card and the paper of the pages', () => {
    const tokens = readFileSync(new URL('../../web/src/style/tokens.css', import.meta.url), 'utf8');
    const grounds = [...tokens.matchAll(/--(?:paper|card): (#\w+)/g)].map(([, colour]) => colour);
    assert.deepEqual(grounds.sort(), ['#131614', '#1a1f1c', '#f6f4ee', '#fffefb']);
  });

  const wrong: Record<string, readonly [brand: object | string, says: RegExp]> = {
    'a file that is not JSON': ['{"title": ', /^BRAND_FILE: The file ".+" is not JSON: /],
    'a list': [[], /^BRAND_FILE: The file must be a mapping/],
    null: ['null', /^BRAND_FILE: The file must be a mapping/],
    'an unknown key': [{ titel: 'x' }, /^BRAND_FILE: titel is not known here; did you mean "title"\?$/],
    'an empty title': [{ title: ' ' }, /^BRAND_FILE: title must be a text of 1 to 60 characters; found/],
    'a colour by name': [{ accent: 'teal' }, /accent must be a colour such as #1d5b4a; found "teal"/],
    'one scheme alone': [{ accent: { dark: '#ffffff' } }, /accent has no "light"/],
    'a logo elsewhere': [{ logo: '../logo.svg' }, /logo must be the name of an SVG file beside BRAND_FILE/],
    'a logo that is not there': [{ logo: 'other.svg' }, /logo ".+other\.svg" cannot be read \(ENOENT\)/],
    'a logo in another format': [{ logo: 'png.svg' }, /logo ".+png\.svg" has no <svg>/],
    'a large logo': [{ logo: 'large.svg' }, /logo ".+large\.svg" has 20041 bytes, and may have 20000/],
    'a link without https': [{ imprint: 'javascript:alert(1)' }, /imprint must be an https URL/],
  };
  writeFileSync(`${folder}/png.svg`, 'PNG');
  writeFileSync(`${folder}/large.svg`, svg + ' '.repeat(20_000));
  for (const [name, [brand, says]] of Object.entries(wrong))
    it(`${name} is a mistake`, async () => {
      const [mistake, ...others] = await mistakesOf(brand);
      assert.deepEqual(others, []);
      assert.match(String(mistake), says);
    });

  it('a file that is not there is a mistake', async () => {
    const settings = {
      IDP_ORIGIN: 'https://login.example.org',
      API_AUDIENCE: 'x',
      BRAND_FILE: '/nowhere.json',
    };
    await assert.rejects(
      loadConfig(settings),
      /BRAND_FILE: The file "\/nowhere\.json" cannot be read \(ENOENT\)\./,
    );
  });
});
