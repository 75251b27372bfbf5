import { dirname } from 'node:path';
import { newDirectory } from '../support/commands/outcome.ts';
import { type Running, typeUntil, typeWell } from '../support/packages/installed.ts';

/** The folder of a developer who uses our packages, and a shell in it. */
export class AppFolder {
  readonly path = newDirectory();
  readonly #running: Running[] = [];

  /** Runs a command to its end and expects exit code 0. */
  async run(command: string): Promise<string> {
    const { stdout, stderr } = await typeWell(command, this.#place());
    return `${stdout}${stderr}`;
  }

  /** A command that goes on: until it says so. */
  async runUntil(command: string, says: RegExp): Promise<void> {
    this.#running.push(await typeUntil(says, command, this.#place()));
  }

  /** All that goes on, as Ctrl-C would. */
  async stop(): Promise<void> {
    for (const running of this.#running.splice(0)) await running.stop();
  }

  #place() {
    return { folder: this.path, nodeFolder: dirname(process.execPath), settings: { OPS_PORT: '0' } };
  }
}
