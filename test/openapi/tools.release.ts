import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { promisify } from 'node:util';
import { documentWith } from '../../docs/openapi-document.ts';
import type { Collection } from '../../src/collections/collection.ts';
import type { TokenTerms } from '../../src/openapi/token-terms.ts';
import { shipped, twelve, unusual } from '../support/services/unusual-declarations.ts';

const run = promisify(execFile);
const folder = mkdtempSync(join(tmpdir(), 'openapi-'));
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

/** Redocly, an independent tool, in its own process without telemetry. */
async function lint(collections: readonly Collection[], tokens?: TokenTerms): Promise<string> {
  const file = join(folder, 'linted.json');
  const about = { version: '1.2.3', baseUrl: 'https://api.example.org' };
  const document = documentWith(collections, tokens === undefined ? about : { ...about, tokens });
  writeFileSync(file, JSON.stringify(document, null, 1));
  const parameters = ['lint', '--config', 'docs/api/redocly.yaml', '--format', 'stylish', file];
  const env = {
    PATH: process.env.PATH,
    REDOCLY_TELEMETRY: 'off',
    REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true',
    CI: 'true',
  };
  const program = 'node_modules/@redocly/cli/bin/cli.js';
  const { stderr } = await run(process.execPath, [program, ...parameters], { env });
  return stderr;
}

const documents: Readonly<
  Record<string, readonly [collections: readonly Collection[], tokens?: TokenTerms]>
> = {
  'without collections': [[]],
  'with the shipped collections': [shipped],
  'with unusual collections': [unusual],
  'with DPoP required with nonces': [unusual, { dpop: 'required', nonce: true }],
  'with DPoP off': [unusual, { dpop: 'off', nonce: false }],
};

describe('the OpenAPI document, checked by Redocly', () => {
  for (const [name, of] of Object.entries(documents))
    it(`is valid ${name}`, async () => assert.match(await lint(...of), /Your API description is valid/));

  it('is refused with a mistake in it (control)', async () => {
    const [first] = unusual;
    assert.ok(first !== undefined);
    const broken = { ...first, schema: { type: 'objekt' } };
    await assert.rejects(lint([broken]), /Validation failed/);
  });
});
