import { spawn } from 'node:child_process';
import { globSync, mkdirSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { resolve } from 'node:path';
import { startPostgres } from './support/postgres.ts';
import { startSharedProviders } from './support/shared-providers.ts';
import type { Surroundings } from './support/surroundings.ts';

/**
 * `npm test`: builds the frontend, starts once what is slow to start (PostgreSQL, the providers), runs every test file,
 * and afterwards test/after, which looks through everything that all the processes of the run have left behind.
 * `npm test -- test/http/me.200.test.ts` runs only the files named.
 */
// First, because of two runs at once the second one fails here, before it deletes what the first one works with.
const providers = await startSharedProviders();
const runDirectory = resolve('.test-run');
rmSync(runDirectory, { recursive: true, force: true });
mkdirSync(runDirectory, { recursive: true });

// What is tested in a browser is what stands in web/src now.
await import('../web/build.ts');

const postgres = await startPostgres(`${runDirectory}/postgres`, await freePort());
const surroundings: Surroundings = {
  runDirectory,
  postgresUrl: postgres.url,
  mockOrigin: providers.mockOrigin,
  oidcOrigin: providers.oidcOrigin,
  oidcClient: providers.oidcClient,
  audience: providers.audience,
};

try {
  const named = process.argv.slice(2);
  const isAfter = (file: string) => file.startsWith('test/after/');
  const files = named.length > 0 ? named : globSync('test/**/*.test.ts').sort();
  process.exitCode = await runTests(files.filter((file) => !isAfter(file)));
  process.exitCode ||= await runTests(files.filter(isAfter));
} finally {
  await providers.stop();
  await postgres.stop();
}

function runTests(files: readonly string[]): Promise<number> {
  if (files.length === 0) return Promise.resolve(0);
  const { promise, resolve: done } = Promise.withResolvers<number>();
  // One more than the cores that are to be expected: there is always one that waits for a disk or a clock.
  const parameters = ['--test', '--test-concurrency=3', '--test-timeout=180000', ...files];
  const child = spawn(process.execPath, parameters, {
    stdio: 'inherit',
    env: {
      ...process.env,
      VESTIBULE_TEST: JSON.stringify(surroundings),
      // Hundreds of processes load the same files: what the platform made of them is kept for the run.
      NODE_COMPILE_CACHE: `${runDirectory}-cache`,
    },
  });
  child.on('exit', (code) => done(code ?? 1));
  return promise;
}

function freePort(): Promise<number> {
  const { promise, resolve: done } = Promise.withResolvers<number>();
  const server = createServer().listen(0, '127.0.0.1', () => {
    const { port } = server.address() as { port: number };
    server.close(() => done(port));
  });
  return promise;
}
