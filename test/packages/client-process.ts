import { type ChildProcess, fork } from 'node:child_process';
import { build } from 'esbuild';
import { nodeUnderTest } from '../support/installed-packages.ts';
import { part } from '../support/surroundings.ts';
import { ClientStage, type StageCommand } from './client-stage.ts';

/** What runs where the client is installed: the cases, and the stage at the other end of the process's channel. */
const program = `
  import * as client from '@vestibule/client';
  import { cases } from '../support/test/packages/client-cases/all.ts';
  const asked = [];
  const stage = new Proxy({}, {
    get: (_, command) => (...values) => new Promise((resolve) => {
      process.send({ id: asked.push(resolve) - 1, command, values });
    }),
  });
  process.on('message', async ({ id, value, run, url }) => {
    if (run === undefined) return asked[id](value);
    const scene = { client, url, stage, name: 'Node: ' + run };
    const failure = await cases[run](scene).then(() => null, (error) => String(error?.stack ?? error));
    process.send({ run, failure });
  });
`;

interface FromProgram {
  readonly id: number;
  readonly command?: StageCommand;
  readonly values: never[];
  readonly failure: string | null;
}

/** A process of somebody who has installed the client, which runs the cases one after another. */
export class ClientProcess {
  readonly #stage: ClientStage;
  readonly #program: ChildProcess;

  private constructor(stage: ClientStage, child: ChildProcess) {
    this.#stage = stage;
    this.#program = child;
  }

  static async start(): Promise<ClientProcess> {
    const { folder } = await part('installed');
    const outfile = `${folder}/client-cases.js`;
    await build({
      stdin: { contents: program, resolveDir: process.cwd(), loader: 'ts' },
      external: ['@vestibule/client'],
      bundle: true,
      outfile,
      format: 'esm',
      target: 'es2024',
    });
    const stage = await ClientStage.start();
    const child = fork(outfile, { cwd: folder, execPath: nodeUnderTest(), execArgv: [] });
    child.on('message', async ({ id, command, values }: FromProgram) => {
      if (command === undefined) return;
      const value = await (stage[command] as (...given: never[]) => Promise<unknown>)(...values);
      child.send({ id, value });
    });
    return new ClientProcess(stage, child);
  }

  /** Rejects with what the case has found wrong. */
  async run(name: string): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const onExit = (code: number | null) => reject(new Error(`The process has ended with ${code}.`));
    const onMessage = ({ command, failure }: FromProgram) => {
      if (command === undefined) failure === null ? resolve() : reject(new Error(failure));
    };
    this.#program.on('message', onMessage).on('exit', onExit);
    this.#program.send({ run: name, url: this.#stage.url });
    try {
      await promise;
    } finally {
      this.#program.off('message', onMessage).off('exit', onExit);
    }
  }

  async stop(): Promise<void> {
    this.#program.kill();
    await this.#stage.stop();
  }
}
