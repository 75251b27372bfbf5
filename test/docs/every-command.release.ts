import assert from 'node:assert/strict';
import { readFileSync, realpathSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, it } from 'node:test';
import { parseEnv } from 'node:util';
import { loadConfig } from '../../src/config/load.ts';
import { apiCommands } from './api-commands.ts';
import { notRun, startCommand } from './commands-not-run.ts';
import { docsCommands } from './docs-commands.ts';
import { documentedCommands, documentedSettings, nakedCommands } from './documented-commands.ts';

describe('the commands of README and docs', () => {
  const printed = documentedCommands().map(({ text }) => text);
  const known = [startCommand, ...[apiCommands, docsCommands, notRun].flatMap(Object.keys)];

  it('every command is run by a test or listed with a reason why not', () => {
    const forgotten = printed.filter((text) => !known.includes(text));
    assert.deepEqual(forgotten, [], 'add it to api-commands.ts, docs-commands.ts or commands-not-run.ts');
  });

  it('every command that a test runs is still printed', () => {
    assert.deepEqual(known.toSorted(), printed.toSorted());
  });

  // With "bin" in package.json npx would link the whole project into its own cache, run install scripts there and change
  // the mode of a file: a user who does not own the project could not use it.
  it('npx runs bin/vestibule.js of the project', () => {
    assert.equal(realpathSync('node_modules/.bin/vestibule'), resolve('bin/vestibule.js'));
    assert.equal(JSON.parse(readFileSync('package.json', 'utf8')).bin, undefined);
  });

  it('every inline command begins with npx, not with "vestibule"', () =>
    assert.deepEqual(nakedCommands(), []));

  it('every printed settings file is valid', async () => {
    const others = { IDP_ORIGIN: 'https://login.example.org', API_AUDIENCE: 'https://api.example.org' };
    const blocks = documentedSettings();
    assert.ok(blocks.length > 5);
    for (const { text } of blocks)
      await assert.doesNotReject(() => loadConfig({ ...others, ...parseEnv(text) }), text);
  });
});
