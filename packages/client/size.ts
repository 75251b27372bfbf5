import { fileURLToPath } from 'node:url';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { build } from 'esbuild';

/** What the whole client adds to a page: bundled, minified and compressed. */
export async function sizeOfClient() {
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(new URL('src/index.ts', import.meta.url))],
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

if (import.meta.main) {
  const { minified, gzip, brotli } = await sizeOfClient();
  console.log(`@vestibule/client: ${gzip} bytes with gzip, ${brotli} with brotli (${minified} minified)`);
}
