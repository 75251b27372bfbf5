import { dirname, join } from 'node:path';
import { type Form, mapping, text, type ValueOf, where } from '../base/json-schema.ts';
import { createFormCheck } from '../base/yaml/check-form.ts';
import { nameOf, type ReportAt } from '../base/yaml/mistakes.ts';
import { readTextFile } from './text-file.ts';

/** BRAND_FILE: the title, colours, logo and links of the reference frontend. */

const maxLogoBytes = 20_000;
/** `--card` and `--paper` of web/src/style/tokens.css, on which the accent is read. */
const grounds = { light: ['#fffefb', '#f6f4ee'], dark: ['#1a1f1c', '#131614'] };
/** WCAG 2.2, criterion 1.4.3. */
const minContrast = 4.5;

const like = (pattern: string, expected: string): Form<string> => ({
  ...text,
  pattern,
  errorMessage: `must be ${expected}`,
});
const colour = like('^#[0-9a-fA-F]{6}$', 'a colour such as #1d5b4a');
const link = like('^https://[\\x21-\\x7e]+$', 'an https URL');
const brandForm = mapping({
  title: like('^(?=.*\\S).{1,60}$', 'a text of 1 to 60 characters'),
  accent: where({ type: 'object' }, mapping({ light: colour, dark: colour }, ['light', 'dark']), colour),
  logo: like('^[\\w.-]+\\.svg$', 'the name of an SVG file beside BRAND_FILE, such as logo.svg'),
  imprint: link,
  privacy: link,
});
const checkBrand = createFormCheck(brandForm);
type BrandFile = ValueOf<typeof brandForm>;

export type Brand = ReturnType<typeof readBrandFile>['brand'];

/** The brand, and every mistake in it. */
export function readBrandFile(path: string) {
  const mistakes: string[] = [];
  const say: ReportAt = (pointer, predicate) => {
    const sentence = `BRAND_FILE: ${nameOf(pointer)} ${predicate}`;
    mistakes.push(/[.?]$/.test(sentence) ? sentence : `${sentence}.`);
  };
  const read = <T>(pointer: string, file: string, parse: (content: string) => T): T | null => {
    try {
      return parse(readTextFile(file));
    } catch (error) {
      const fault = error instanceof SyntaxError ? 'is not JSON: ' : '';
      say(pointer, `"${file}" ${fault}${(error as Error).message}`);
      return null;
    }
  };
  const data = read('', path, (content): unknown => JSON.parse(content) ?? []);
  const { accent, logo, ...plain } = data !== null && checkBrand(data, say) ? (data as BrandFile) : {};
  const accents = accent === undefined ? null : accentsOf(accent, say);
  const picture = logo === undefined ? null : read('/logo', join(dirname(path), logo), checkedLogo);
  return { brand: { ...plain, accents, logo: picture }, mistakes };
}

function checkedLogo(svg: string): string {
  const size = Buffer.byteLength(svg);
  if (size > maxLogoBytes) throw new Error(`has ${size} bytes, and may have ${maxLogoBytes}`);
  if (!svg.includes('<svg')) throw new Error('has no <svg>');
  return svg;
}

/** No colour has the contrast in both schemes: a single one is for the light scheme, and a paler one for the dark. */
function accentsOf(accent: NonNullable<BrandFile['accent']>, say: ReportAt) {
  const isSingle = typeof accent === 'string';
  const checked = (scheme: 'light' | 'dark', shade: string) => {
    const ground = grounds[scheme].find((one) => contrastOf(shade, one) < minContrast);
    // Rounded up it could be the number that is needed.
    const contrast = ground && Math.floor(contrastOf(shade, ground) * 100) / 100;
    if (ground !== undefined)
      say(
        isSingle ? '/accent' : `/accent/${scheme}`,
        `${shade} on ${ground} has a contrast of ${contrast}, and needs ${minContrast}. Choose a ${scheme === 'light' ? 'darker' : 'lighter'} colour`,
      );
    // One of them has a contrast of at least 4.58.
    const onAccent = contrastOf(shade, '#ffffff') < minContrast ? '#000000' : '#ffffff';
    return { accent: shade, onAccent };
  };
  const { light, dark } = isSingle ? { light: accent, dark: paler(accent) } : accent;
  return { light: checked('light', light), dark: checked('dark', dark) };
}

/** Mixed with white until it can be read in the dark scheme. */
function paler(shade: string): string {
  const parts = partsOf(shade).map((part) => Math.round(part + (255 - part) / 20));
  const isRight = grounds.dark.every((ground) => contrastOf(shade, ground) >= minContrast);
  return isRight ? shade : paler(`#${Buffer.from(parts).toString('hex')}`);
}

/** As WCAG defines it. */
function contrastOf(one: string, other: string): number {
  const [dark = 0, light = 0] = [luminanceOf(one), luminanceOf(other)].sort((a, b) => a - b);
  return (light + 0.05) / (dark + 0.05);
}

function luminanceOf(shade: string): number {
  const linear = (share: number) => (share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4);
  const [red = 0, green = 0, blue = 0] = partsOf(shade).map((part) => linear(part / 255));
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

/** Red, green and blue, from 0 to 255. */
function partsOf(shade: string): readonly number[] {
  return [...Buffer.from(shade.slice(1), 'hex')];
}
