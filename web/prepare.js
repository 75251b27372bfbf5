import { existsSync } from 'node:fs';

// `npm ci` and `npm run build` run this. Where only what runs the service is installed (npm ci --omit=dev) there is nothing to
// build with, and that is fine. Plain JavaScript, because the Node.js that installs need not be the one that comes with us.
if (existsSync(new URL('../node_modules/esbuild', import.meta.url))) {
  await import('./build.ts');
  const { bundleService } = await import('../packages/bundle.ts');
  await bundleService('lib');
} else {
  process.stdout.write(
    'The frontend and the bundle are not built: that takes the development dependencies.\n',
  );
}
