import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { newDirectory, type Outcome, succeeded } from '../support/commands/outcome.ts';
import { runVestibule } from '../support/services/service.ts';

/** Every command, and those below it. */
const tree: Readonly<Record<string, readonly string[]>> = {
  serve: [],
  dev: ['token'],
  init: [],
  check: [],
  types: [],
  schema: [],
  doctor: [],
  explain: [],
  client: ['add', 'list', 'rotate', 'remove-secret', 'scopes', 'disable', 'enable', 'remove'],
  keys: ['list', 'rotate'],
  consumer: ['show', 'suspend', 'resume', 'sign-out', 'of-record', 'erase', 'top'],
  webhook: [
    ...['add', 'list', 'show', 'rotate', 'disable', 'enable', 'remove', 'deliveries', 'replay', 'test'],
  ],
  audit: [],
  scrub: [],
  backup: [],
  restore: [],
  move: [],
  migrate: [],
};
const below = Object.entries(tree).flatMap(([name, more]) => [[name], ...more.map((one) => [name, one])]);

/** Wrong usage, and the expected message of the parser. */
const wrongUsage: Record<string, readonly [parameters: string[], says: RegExp]> = {
  'an unknown command': [['sreve'], /unknown command 'sreve'\n\(Did you mean serve\?\)/],
  'an unknown command below another': [['client', 'frobnicate'], /unknown command/],
  'an unknown option': [['check', '--jsno'], /unknown option '--jsno'\n\(Did you mean --json\?\)/],
  'a missing argument': [['client', 'add'], /missing required argument 'id'/],
  'one argument too many': [['client', 'list', 'everything'], /too many arguments/],
  'remove-secret without a secret id': [
    ['client', 'remove-secret', 'x'],
    /missing required argument 'secret-id'/,
  ],
  'an option without its value': [['check', '--settings'], /argument missing|unknown option/],
  'no command at all': [[], /Usage: vestibule/],
  'no command below another': [['keys'], /Usage: vestibule keys/],
};

const vestibule = (...parameters: string[]): Promise<Outcome> =>
  runVestibule({ TEST_DIRECTORY: newDirectory() }, ...parameters);

describe('the command line', () => {
  for (const command of [[], ...below]) {
    const name = ['vestibule', ...command].join(' ');
    it(`"${name} --help" prints the usage`, async () => {
      const help = succeeded(await vestibule(...command, '--help'));
      assert.ok(help.startsWith(`Usage: ${name} `), help);
      assert.match(help, /-h, --help/);
      // The parser aligns columns; sentences must fit into 80 columns.
      const tooLong = help.split('\n').filter((line) => !line.startsWith('  ') && line.length > 80);
      assert.deepEqual(tooLong, []);
    });
  }

  it('--help lists every command', async () => {
    const help = succeeded(await vestibule('--help'));
    for (const command of Object.keys(tree)) assert.match(help, new RegExp(`^  ${command}\\b`, 'm'));
  });

  it('--help has three groups: develop, diagnose, operate', async () => {
    const help = succeeded(await vestibule('--help'));
    const [, ...groups] = help.split(/^(?=\w+:$)/m).slice(1);
    const names = groups.map((group) => Array.from(group.matchAll(/^ {2}(\w+)/gm), ([, name]) => name));
    const titles = groups.map((group) => group.split('\n')[0]);
    assert.deepEqual(titles, ['Develop:', 'Diagnose:', 'Operate:']);
    assert.ok(names[0]?.includes('dev'));
    assert.ok(names[1]?.includes('doctor'));
    assert.ok(names[2]?.includes('serve'));
  });

  it('--help marks required options', async () => {
    const help = succeeded(await vestibule('webhook', 'add', '--help'));
    const options = [...help.matchAll(/^ {2}(--[a-z-]+)((?:(?!^ {2}-).)*)/gms)];
    const needed = options.filter(([, , text]) => /\(needed\)/.test(String(text)));
    const marked = needed.map(([, name]) => name);
    assert.deepEqual(marked, ['--events']);
  });

  it('--version prints the version', async () => {
    const { version } = JSON.parse(readFileSync('package.json', 'utf8'));
    assert.equal(succeeded(await vestibule('--version')), `${version}\n`);
  });

  for (const [name, [parameters, says]] of Object.entries(wrongUsage)) {
    it(`${name} exits with 2`, async () => {
      const { code, stdout, stderr } = await vestibule(...parameters);
      assert.equal(code, 2, stderr);
      assert.match(stderr, says);
      assert.doesNotMatch(stderr, /^\s+at /m, 'no stack trace');
      assert.equal(stdout, '');
    });
  }
});
