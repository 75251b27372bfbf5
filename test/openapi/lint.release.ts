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
import { shipped, unusual } from './samples.ts';

const run = promisify(execFile);
const folder = mkdtempSync(join(tmpdir(), 'openapi-'));
after(() => rmSync(folder, { recursive: true }));

/** Redocly, an independent tool, in its own process without telemetry. */
async function lint(collections: readonly Collection[], tokens?: TokenTerms): Promise<string> {
  const file = join(folder, 'openapi.json');
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

describe('the OpenAPI document, checked by Redocly', () => {
  it('is valid without collections', async () => {
    assert.match(await lint([]), /Your API description is valid/);
  });

  it('is valid with the shipped collections', async () => {
    assert.deepEqual(
      shipped.map(({ name }) => name),
      ['bookings', 'items', 'notes'],
    );
    assert.match(await lint(shipped), /Your API description is valid/);
  });

  it('is valid with unusual collections', async () => {
    assert.match(await lint(unusual), /Your API description is valid/);
  });

  it('is valid with DPoP required with nonces, and with DPoP off', async () => {
    for (const dpop of ['required', 'off'] as const) {
      const terms = { dpop, nonce: dpop === 'required' };
      assert.match(await lint(unusual, terms), /Your API description is valid/);
    }
  });

  it('is refused with a mistake in it (control)', async () => {
    const [first] = unusual;
    assert.ok(first !== undefined);
    const broken = { ...first, schema: { type: 'objekt' } };
    await assert.rejects(lint([broken]), /Validation failed/);
  });
});
