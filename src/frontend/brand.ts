import type { Asset, BuiltFiles } from './page.ts';

type Accent = Readonly<Record<'accent' | 'onAccent', string>>;
type Accents = Readonly<Record<'light' | 'dark', Accent>>;

/** The operator's name and colours on the pages. `logo` is the text of an SVG file. */
interface Brand extends Readonly<Partial<Record<'title' | 'imprint' | 'privacy', string>>> {
  readonly accents: Accents | null;
  readonly logo: string | null;
}

/** The built page with this brand, the files that it adds, and what the scripts of the page know of it. */
export function withBrand({ page, assets }: BuiltFiles, brand: Brand | null) {
  const { title = 'Vestibule', accents = null, logo = null, ...links } = brand ?? {};
  const own: Asset[] = [];
  const add = (name: string, contentType: string, text: string) =>
    own.push({ name, contentType, text, mayChange: true });
  if (accents !== null) add('brand.css', 'text/css; charset=utf-8', styleOf(accents));
  if (logo !== null) add('logo.svg', 'image/svg+xml', logo);
  const escaped = title.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
  const branded = page
    .replace('<title>Vestibule</title>', () => `<title>${escaped}</title>`)
    .replace('<link rel="stylesheet" href="/web/brand.css">\n', (link) => (accents ? link : ''))
    .replace(/(?<=rel="icon" href="\/web\/)[^"]+/, (icon) => (logo === null ? icon : 'logo.svg'))
    .replaceAll(
      /(?<=name="theme-color" content=")#\w+(?=" media="\(prefers-color-scheme: (light|dark)\))/g,
      (colour, scheme: keyof Accents) => accents?.[scheme].accent ?? colour,
    );
  return {
    files: { page: branded, assets: [...assets, ...own] },
    brand: { title, ...(logo !== null && { logo: '/web/logo.svg' }), ...links },
  };
}

function styleOf({ light, dark }: Accents): string {
  const root = ({ accent, onAccent }: Accent) => `:root { --accent: ${accent}; --on-accent: ${onAccent} }`;
  return `${root(light)}\n@media (prefers-color-scheme: dark) { ${root(dark)} }\n`;
}
