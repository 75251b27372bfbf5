import { fileURLToPath } from 'node:url';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { build } from 'esbuild';

/** The size that an entry point of the client adds to a page: bundled without React, minified and compressed. */
export async function sizeOf(entry: 'index' | 'react') {
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(new URL(`src/${entry}.ts`, import.meta.url))],
    external: ['react'],
    write: false,
    bundle: true,
    minify: true,
    format: 'esm',
    target: 'es2022',
  });
  const code = outputFiles[0]?.contents ?? new Uint8Array();
  return {
    minified: code.length,
    gzip: gzipSync(code, { level: 9 }).length,
    brotli: brotliCompressSync(code).length,
  };
}

if (import.meta.main)
  for (const entry of ['index', 'react'] as const) {
    const { minified, gzip, brotli } = await sizeOf(entry);
    console.log(`${entry}: ${gzip} bytes with gzip, ${brotli} with brotli (${minified} minified)`);
  }
