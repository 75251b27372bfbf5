import { existsSync } from 'node:fs';

// `npm ci` and `npm run build` run this. Without the development dependencies (npm ci --omit=dev) it builds nothing. Plain
// JavaScript, because the Node.js that runs `npm ci` may be older than the one that it installs.
if (existsSync(new URL('../node_modules/esbuild', import.meta.url))) {
  await import('./build.ts');
  const { bundleService } = await import('../packages/bundle.ts');
  await bundleService('lib');
} else {
  process.stdout.write(
    'The frontend and the bundle are not built: the development dependencies are not installed.\n',
  );
}
