import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, it } from 'node:test';
import { promisify } from 'node:util';
import { documentWith } from '../../docs/openapi-document.ts';
import { twelve } from '../support/services/unusual-declarations.ts';

const run = promisify(execFile);
const folder = mkdtempSync(join(tmpdir(), 'generators-'));
after(() => rmSync(folder, { recursive: true }));

/** The generator needs a TypeScript with an API in JavaScript, which 7 has not. */
const packages = ['openapi-typescript@7.13.0', 'orval@7.21.0', 'typescript@5.9.3'];

it('openapi-typescript and orval make code that compiles of the document of twelve collections', async () => {
  const inFolder = { cwd: folder };
  const document = documentWith(twelve, { version: '1.2.3', baseUrl: 'https://api.example.org' });
  writeFileSync(join(folder, 'openapi.json'), JSON.stringify(document));
  writeFileSync(join(folder, 'package.json'), '{"private":true,"type":"module"}');
  await run('npm', ['install', '--no-audit', '--no-fund', '--ignore-scripts', ...packages], inFolder);
  const bin = (name: string) => join(folder, 'node_modules/.bin', name);
  await run(bin('openapi-typescript'), ['openapi.json', '--output', 'types.ts'], inFolder);
  await run(
    bin('orval'),
    ['--input', 'openapi.json', '--output', 'client.ts', '--client', 'fetch'],
    inFolder,
  );
  const options = ['--noEmit', '--strict', '--skipLibCheck', '--target', 'es2022', '--lib', 'es2022,dom'];
  await run(bin('tsc'), [...options, 'types.ts', 'client.ts'], inFolder);
});
