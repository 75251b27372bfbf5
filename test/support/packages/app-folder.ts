import assert from 'node:assert/strict';
import { dirname } from 'node:path';
import { newDirectory, type Outcome } from '../commands/outcome.ts';
import { foldersOfPrograms, ShellCommand } from '../commands/shell-command.ts';
import type { Settings } from '../services/service.ts';

/** The folder of a developer who uses the packages, and a shell in it. */
export class AppFolder {
  readonly path: string;
  readonly #nodeFolder: string;
  readonly #settings: Settings;
  readonly #running: ShellCommand[] = [];

  /** The Node.js of `nodeFolder` is found first. All commands get the settings. */
  constructor({ path = newDirectory(), nodeFolder = dirname(process.execPath), settings = {} } = {}) {
    this.path = path;
    this.#nodeFolder = nodeFolder;
    this.#settings = settings;
  }

  outcomeOf(command: string, settings: Settings = {}): Promise<Outcome> {
    return this.#start(command, settings).ended;
  }

  /** Runs a command to its end, and expects exit code 0. Returns its standard output. */
  async run(command: string, settings?: Settings): Promise<string> {
    const { code, stdout, stderr } = await this.outcomeOf(command, settings);
    assert.equal(code, 0, `${command}\n${stdout}${stderr}`);
    return stdout;
  }

  async runUntil(command: string, says: RegExp, settings: Settings = {}): Promise<ShellCommand> {
    const running = this.#start(command, settings);
    this.#running.push(running);
    if (await running.says(says)) return running;
    const { stdout, stderr } = await running.ended;
    throw new Error(`It has ended: ${stdout}${stderr}`);
  }

  /** Stops all that goes on, as Ctrl-C would. */
  async stop(): Promise<void> {
    for (const running of this.#running.splice(0)) await running.stop();
  }

  #start(command: string, settings: Settings): ShellCommand {
    // Without the variables that npm and Node have for the test itself. Those by which npm reaches the registry stay.
    const ofTests = /^(npm_(?!config_)|INIT_CWD$|NODE_(CHANNEL|COMPILE_CACHE|TEST)|VESTIBULE_)/;
    const variables = Object.entries(process.env).filter(([name]) => !ofTests.test(name));
    const env = {
      ...Object.fromEntries(variables),
      PATH: [this.#nodeFolder, ...foldersOfPrograms()].join(':'),
      npm_config_prefer_offline: 'true',
      npm_config_update_notifier: 'false',
      npm_config_loglevel: 'error',
      ...this.#settings,
      ...settings,
    };
    return new ShellCommand(command, this.path, env);
  }
}
