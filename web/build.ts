import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, type Metafile } from 'esbuild';
import { copyLicences } from '../packages/bundle.ts';

/**
 * Builds web/src and web/console into what the service serves (web/dist, web/dist/console): one script, one style, one icon and
 * the page that names them. `npm ci` and `npm run build` run it (prepare.js), so that `npm start` needs nothing else.
 */
const target = fileURLToPath(new URL('dist/', import.meta.url));
const frontend = fileURLToPath(new URL('src/', import.meta.url));
const consolePage = fileURLToPath(new URL('console/', import.meta.url));
const icon = readFileSync(`${frontend}icon.svg`, 'utf8');

rmSync(target, { recursive: true, force: true });
await buildPage({ source: frontend, style: 'style/main.css', target, path: '/web/' });
await buildPage({ source: consolePage, style: 'style.css', target: `${target}console/`, path: 'console/' });

interface PageOptions {
  readonly source: string;
  readonly style: string;
  readonly target: string;
  /** Where the page finds its files. */
  readonly path: string;
}

async function buildPage({ source, style, target, path: servedAt }: PageOptions): Promise<void> {
  const { outputFiles, metafile } = await build({
    entryPoints: { app: `${source}main.tsx`, style: `${source}${style}` },
    outdir: target,
    write: false,
    bundle: true,
    // What a first view does not need loads later.
    splitting: true,
    chunkNames: 'part-[hash]',
    minify: true,
    format: 'esm',
    target: ['chrome120', 'firefox121', 'safari17'],
    jsx: 'automatic',
    jsxImportSource: 'preact',
    legalComments: 'eof',
    metafile: true,
    logLevel: 'warning',
  });
  mkdirSync(target, { recursive: true });
  copyLicences(metafile, target);
  const contents = new Map([
    ...outputFiles.map(({ path, text }) => [path.slice(target.length), text] as const),
    ['icon.svg', icon] as const,
  ]);
  let page = readFileSync(`${source}index.html`, 'utf8');
  for (const [name, text] of contents) {
    const hashed = name.startsWith('part-') ? name : withHash(name, text);
    writeFileSync(`${target}${hashed}`, text);
    page = page.replace(`"${servedAt}${name}"`, `"${servedAt}${hashed}"`);
  }
  page = page.replace('</head>', `${preloads(metafile, servedAt)}</head>`);
  writeFileSync(`${target}index.html`, page);
}

/** What the script needs at once is fetched beside it, not after it. */
function preloads({ outputs }: Metafile, servedAt: string): string {
  const all = new Map(Object.entries(outputs).map(([path, output]) => [basename(path), output]));
  const needed = new Set<string>();
  const add = (name: string) => {
    for (const { path, kind } of all.get(name)?.imports ?? []) {
      if (kind !== 'import-statement' || needed.has(basename(path))) continue;
      needed.add(basename(path));
      add(basename(path));
    }
  };
  add('app.js');
  return [...needed].map((name) => `<link rel="modulepreload" href="${servedAt}${name}">\n`).join('');
}

/** A name that changes with the content, so that browsers may cache the file for ever. */
function withHash(name: string, text: string): string {
  const hash = createHash('sha256').update(text).digest('hex').slice(0, 12);
  return name.replace(/(\.\w+)$/, `-${hash}$1`);
}
