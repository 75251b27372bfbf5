import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { after, describe, it } from 'node:test';
import { parseEnv } from 'node:util';
import { loadConfig } from '../../src/config/load.ts';
import { shutdownSeconds } from '../../src/http/limits.ts';
import { endOf, newDirectory, runProgram, succeeded } from '../support/commands/outcome.ts';
import { ApiCaller } from '../support/http/api-caller.ts';
import { until } from '../support/run/polling.ts';
import { findProgram } from '../support/run/programs.ts';
import { declarationsFolder } from '../support/services/declarations.ts';
import { newSettings, startThrough } from '../support/services/service.ts';
import { TestProvider } from '../support/tokens/provider.ts';

const unitFile = 'deploy/systemd/vestibule.service';
const unit = readFileSync(unitFile, 'utf8');
const config = await loadConfig(parseEnv(readFileSync('deploy/systemd/settings', 'utf8')));

const provider = await TestProvider.start();
after(() => provider.stop());

function directive(name: string): string {
  const [, value] = new RegExp(`^${name}=(.*)$`, 'm').exec(unit) ?? [];
  assert.ok(value !== undefined, `${name} is not in ${unitFile}`);
  return value;
}

/** The report of systemd's own checker, and whether it is empty. */
async function analyse(...parameters: readonly string[]) {
  const { code, stdout, stderr } = await runProgram(await findProgram('systemd-analyze'), parameters);
  return { code, said: stdout + stderr };
}

async function callsIn(set: string): Promise<readonly string[]> {
  const { said } = await analyse('syscall-filter', set);
  const names = said.split('\n').flatMap((line) => /^ {4}(@?\w[\w-]*)$/.exec(line)?.[1] ?? []);
  const all = await Promise.all(names.map((name) => (name.startsWith('@') ? callsIn(name) : [name])));
  return all.flat();
}

describe('the unit for systemd', () => {
  it('passes systemd-analyze verify without a message', async () => {
    const copy = `${newDirectory()}/vestibule.service`;
    // systemd checks that the program exists.
    writeFileSync(copy, unit.replace('/usr/bin/node', process.execPath));
    assert.deepEqual(await analyse('verify', copy), { code: 0, said: '' });
  });

  it('has an exposure level of at most 2.0', async (context) => {
    const options = ['--offline=true', '--threshold=20', '--no-pager'];
    const { code, said } = await analyse('security', ...options, unitFile);
    assert.equal(code, 0, said);
    context.diagnostic(said.trim().split('\n').at(-1) ?? '');
  });

  it('allows enough time to stop and enough open files', () => {
    assert.ok(Number(directive('TimeoutStopSec')) > config.drainSeconds + shutdownSeconds + 6);
    assert.ok(Number(directive('LimitNOFILE')) > config.maxConnections);
  });

  it('restarts the service without a start limit', () => {
    assert.equal(directive('Restart'), 'always');
    assert.equal(directive('StartLimitIntervalSec'), '0');
  });

  it('starts the installed package, with the database in its state directory', () => {
    assert.match(
      directive('ExecStart'),
      / node_modules\/@vestibule\/server\/bin\/vestibule.js --settings \/etc\/vestibule\/settings serve$/,
    );
    const { databaseUrl } = config;
    assert.ok(databaseUrl.engine === 'sqlite');
    assert.ok(databaseUrl.file.startsWith(`/var/lib/${directive('StateDirectory')}/`), databaseUrl.file);
  });

  it('its settings file is valid', async () => {
    const parameters = ['--settings', resolve('deploy/systemd/settings'), 'check'];
    const outcome = await endOf({ COLLECTIONS_DIR: resolve('collections') }, parameters);
    assert.match(succeeded(outcome), /^The settings are in order\.$/m);
  });

  it('its system call filter allows every call of the service', async () => {
    const [refused = '', allowed = ''] = [...unit.matchAll(/^SystemCallFilter=(.*)$/gm)]
      .map(([, value]) => String(value))
      .sort((one) => (one.startsWith('~') ? -1 : 1));
    const sets = (text: string) => Promise.all(text.replace('~', '').split(' ').map(callsIn));
    const [yes, no] = [(await sets(allowed)).flat(), (await sets(refused)).flat()];
    assert.ok(yes.length > 200 && no.includes('setuid'), 'the sets are read');
    const made = await callsOfService();
    assert.ok(made.length > 40 && made.includes('fsync'), made.join(' '));
    const failing = made.filter((call) => !yes.includes(call) || no.includes(call));
    // SQLite gives its files to the owner of the database, which it tries only as root.
    const isRoot = process.getuid?.() === 0;
    assert.deepEqual(
      failing.filter((call) => !(isRoot && call === 'fchown')),
      [],
    );
  });
});

/** All that two processes call from their start to their end, with a write in between. */
async function callsOfService(): Promise<readonly string[]> {
  const settings = await newSettings('sqlite', {
    ...provider.settings,
    TEST_SERVE_OPTIONS: '--processes 2',
    COLLECTIONS_DIR: declarationsFolder({
      notes: 'schema: { properties: { text: { type: string, maxLength: 10 } } }',
    }),
  });
  const file = `${settings.TEST_DIRECTORY}/calls`;
  // With -D the service is the child process and gets the signals.
  const strace = [await findProgram('strace'), '-D', '-f', '-c', '-U', 'name', '-o', file];
  const service = await startThrough(strace, settings);
  await new ApiCaller(service.url, await provider.token()).make('notes', { text: 'x' });
  await service.stop();
  const table = await until(
    () => readFileSync(file, 'utf8'),
    (text) => text.includes('total'),
    'strace does not say what it has seen',
  );
  return table
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => /^\w+$/.test(line) && !['syscall', 'total'].includes(line));
}
