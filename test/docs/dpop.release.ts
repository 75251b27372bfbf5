import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, it } from 'node:test';
import { deployment } from '../support/services/deployment.ts';

const [, program = ''] =
  /^```js\n(import {[^\n]* from 'dpop';[\s\S]*?)\n```$/m.exec(readFileSync('docs/tokens.md', 'utf8')) ?? [];

describe('the DPoP program of docs/tokens.md', () => {
  const running = deployment({ isAddressed: true, clients: { 'dev-client': [] } });

  it('gets a bound token and opens /me with it', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'vestibule-dpop-'));
    symlinkSync(resolve('node_modules'), join(folder, 'node_modules'));
    const { url } = running().service;
    const { secret } = running().client('dev-client');
    const filled = program.replace('vsec_...', secret).replace('http://127.0.0.1:8080', url);
    assert.notEqual(filled, program, 'the example is there, with places to fill in');
    writeFileSync(join(folder, 'program.mjs'), filled);
    const child = spawn(process.execPath, ['program.mjs'], { cwd: folder });
    const [output, errors, [code]] = await Promise.all([
      text(child.stdout),
      text(child.stderr),
      once(child, 'exit'),
    ]);
    assert.equal(code, 0, errors);
    assert.match(output, /^200 {/);
    assert.match(output, /kind: 'client'/);
  });
});
