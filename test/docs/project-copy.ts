import assert from 'node:assert/strict';
import { cpSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseEnv } from 'node:util';
import { newDirectory, type Outcome } from '../support/commands/outcome.ts';
import { foldersOfPrograms, ShellCommand } from '../support/commands/shell-command.ts';
import { writeTlsFiles } from '../support/http/tls-files.ts';
import { freePort } from '../support/run/ports.ts';
import { part } from '../support/run/surroundings.ts';

/** `script` is the command that was run, with the replaced examples. */
type Ran = Outcome & { readonly script: string };

type Replacements = Readonly<Record<string, string>>;

/** The files that `npm ci` adds, that git ignores, and that running leaves. */
const notCopied = /^(node_modules|\.git|\.test-run.*|data|test|docs|dist|lib)$/;

/** The project after `npm ci`, in a folder of its own, and a shell in it that keeps its variables. */
export class ProjectCopy {
  readonly folder = newDirectory();
  readonly #npmCache = newDirectory();
  #variables: Readonly<Record<string, string>> = {};
  #address = '';
  #development: ShellCommand | null = null;
  readonly #prelude: string;

  /** With `quickNpx` a command of this project is run as `npx` would, without npm, which takes a second each time. */
  constructor({ quickNpx = false } = {}) {
    this.#prelude = quickNpx ? `npx() { PATH="$PWD/node_modules/.bin:$PATH" "$@"; }\n` : '';
  }

  #copy(): void {
    for (const part of readdirSync('.').filter((name) => !notCopied.test(name)))
      cpSync(part, `${this.folder}/${part}`, { recursive: true });
    symlinkSync(resolve('node_modules'), `${this.folder}/node_modules`);
    writeFileSync(`${this.folder}/variables.sh`, '');
  }

  /** `npm start`, a token and the settings by the lines that it prints. */
  async start(): Promise<void> {
    await part('frontend');
    this.#copy();
    const [port, opsPort, providerPort] = [await freePort(), await freePort(), await freePort()];
    this.#address = `http://127.0.0.1:${port}`;
    this.#set({ PORT: String(port), OPS_PORT: String(opsPort), NODE: process.execPath });
    const development = this.#start(`npm start -- --provider-port ${providerPort}`);
    this.#development = development;
    if (!(await development.says(/Stop with Ctrl-C\./))) assert.fail((await development.ended).stderr);
    const { stdout: welcome } = development;
    const tokenLine = /^ *(TOKEN=.*)$/m.exec(welcome)?.[1];
    assert.ok(tokenLine, welcome);
    const { stdout: token } = await this.run(`${tokenLine}; printf %s "$TOKEN"`, {});
    writeFileSync(`${this.folder}/token.txt`, token);
    await writeTlsFiles(this.folder);
    const settings = /^ *export (IDP_ORIGIN=.*)$/m.exec(welcome)?.[1];
    assert.ok(settings, welcome);
    this.#set(parseEnv(settings.replaceAll(' ', '\n')) as Record<string, string>);
  }

  async stop(): Promise<void> {
    await this.#development?.stop();
    // A reader keeps a token here, and test/after looks for those in what the tests leave.
    for (const folder of [this.folder, this.#npmCache]) rmSync(folder, { recursive: true, force: true });
  }

  /** Runs one command to its end. Variables that it sets are set for those after it. */
  async run(text: string, replacements: Replacements): Promise<Ran> {
    const script = this.#scriptOf(text, replacements);
    const keeping = `set -a\n${script}\nended=$?; export -p > variables.sh; exit $ended`;
    return { ...(await this.#start(keeping).ended), script };
  }

  /** Runs one command that does not end by itself, until the expected output. */
  async runUntil(text: string, replacements: Replacements, says: RegExp): Promise<Ran> {
    const script = this.#scriptOf(text, replacements);
    const command = this.#start(script);
    const code = (await command.says(says)) ? 0 : 1;
    return { ...(await command.stop()), code, script };
  }

  #set(variables: Readonly<Record<string, string>>): void {
    this.#variables = { ...this.#variables, ...variables };
  }

  #scriptOf(text: string, replacements: Replacements): string {
    return replaced(text, { ...replacements, 'http://127.0.0.1:8080': this.#address });
  }

  /** In the environment of a reader. */
  #start(script: string): ShellCommand {
    return new ShellCommand(`${this.#prelude}. ./variables.sh; ${script}`, this.folder, {
      PATH: foldersOfPrograms().join(':'),
      HOME: this.folder,
      npm_config_cache: this.#npmCache,
      npm_config_update_notifier: 'false',
      // A missing package is not downloaded.
      npm_config_offline: 'true',
      ...this.#variables,
    });
  }
}

function replaced(text: string, replacements: Replacements): string {
  return Object.entries(replacements).reduce((result, [example, value]) => {
    return result.replaceAll(example, () => value);
  }, text);
}
