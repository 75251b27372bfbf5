import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { cpSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseEnv } from 'node:util';
import { newDirectory } from './outcome.ts';
import { freePort } from './ports.ts';
import { part } from './surroundings.ts';
import { writeTlsFiles } from './tls-files.ts';

export interface Ran {
  /** What was run: the text with what stands in the place of examples. */
  readonly script: string;
  readonly code: number | null;
  readonly output: string;
  readonly errors: string;
}

type Replacements = Readonly<Record<string, string>>;

/** What `npm ci` brings, what git keeps, and what running leaves. */
const notCopied = /^(node_modules|\.git|\.test-run.*|data|test|docs)$/;

/** The project as somebody has it after `npm ci`, in a folder of its own, and a shell in it that keeps its variables. */
export class ProjectCopy {
  readonly folder = newDirectory();
  readonly #npmCache = newDirectory();
  #variables: Readonly<Record<string, string>> = {};
  #address = '';
  #development: ChildProcess | null = null;
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
    const { child, ended } = this.#spawn(
      `npm start -- --provider-port ${providerPort}`,
      /Stop with Ctrl-C\./,
    );
    this.#development = child;
    const { output: welcome, errors } = await ended;
    const tokenLine = /^ *(TOKEN=.*)$/m.exec(welcome)?.[1];
    assert.ok(tokenLine, welcome + errors);
    const { output: token } = await this.run(`${tokenLine}; printf %s "$TOKEN"`, {});
    writeFileSync(`${this.folder}/token.txt`, token);
    await writeTlsFiles(this.folder);
    const settings = /^ *export (IDP_ORIGIN=.*)$/m.exec(welcome)?.[1];
    assert.ok(settings, welcome);
    this.#set(parseEnv(settings.replaceAll(' ', '\n')) as Record<string, string>);
  }

  async stop(): Promise<void> {
    if (this.#development !== null) await endGroup(this.#development);
    // A reader keeps a token here, and test/after looks for those in what the tests leave.
    for (const folder of [this.folder, this.#npmCache]) rmSync(folder, { recursive: true, force: true });
  }

  /** One command, to its end. What it sets is set for those after it. */
  run(text: string, replacements: Replacements): Promise<Ran> {
    const script = this.#scriptOf(text, replacements);
    return this.#spawn(script, null).ended;
  }

  /** One command that does not end by itself: until it says so. */
  async runUntil(text: string, replacements: Replacements, says: RegExp): Promise<Ran> {
    const { child, ended } = this.#spawn(this.#scriptOf(text, replacements), says);
    const ran = await ended;
    await endGroup(child);
    return ran;
  }

  #set(variables: Readonly<Record<string, string>>): void {
    this.#variables = { ...this.#variables, ...variables };
  }

  #scriptOf(text: string, replacements: Replacements): string {
    return replaced(text, { ...replacements, 'http://127.0.0.1:8080': this.#address });
  }

  /** In the environment of a reader: without the folders that npm puts before all others for the test itself. */
  #spawn(script: string, says: RegExp | null): { child: ChildProcess; ended: Promise<Ran> } {
    const folders = (process.env.PATH ?? '').split(':').filter((folder) => !folder.includes('node_modules'));
    const keeping = `. ./variables.sh; set -a\n${script}\nended=$?; export -p > variables.sh; exit $ended`;
    const child = spawn('sh', ['-c', this.#prelude + (says === null ? keeping : script)], {
      cwd: this.folder,
      detached: true,
      env: {
        PATH: folders.join(':'),
        HOME: this.folder,
        npm_config_cache: this.#npmCache,
        npm_config_update_notifier: 'false',
        // What is not here is not fetched from elsewhere.
        npm_config_offline: 'true',
        ...this.#variables,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const { promise, resolve: done } = Promise.withResolvers<Ran>();
    let output = '';
    let errors = '';
    const ran = (code: number | null) => ({ script, code, output, errors });
    child.stdout.on('data', (chunk) => {
      output += chunk;
      if (says?.test(output)) done(ran(0));
    });
    child.stderr.on('data', (chunk) => {
      errors += chunk;
    });
    child.on('close', (code) => done(ran(says === null ? code : (code ?? 1) || 1)));
    return { child, ended: promise };
  }
}

function replaced(text: string, replacements: Replacements): string {
  return Object.entries(replacements).reduce((result, [example, value]) => {
    return result.replaceAll(example, () => value);
  }, text);
}

/** The command and all that it has started, as Ctrl-C would. */
async function endGroup(child: ChildProcess): Promise<void> {
  assert.ok(child.pid !== undefined);
  const closed = new Promise((done) => child.once('close', done));
  if (child.exitCode !== null) return;
  process.kill(-child.pid, 'SIGINT');
  await closed;
}
