import { fork } from 'node:child_process';
import { build } from 'esbuild';
import type { RuntimeName } from '../support/packages/runtimes.ts';
import { part, surroundings } from '../support/run/surroundings.ts';
import { type StageCommand, startClientStage } from './client-stage.ts';

/** What runs there: the cases, and the stage at the other end of the process's channel. */
const program = (client: string) => `
  import process from 'node:process';
  import * as client from '${client}';
  import { cases } from './test/packages/client-cases/all.ts';
  const asked = [];
  const stage = new Proxy({}, {
    get: (_, command) => (...values) => new Promise((resolve) => {
      process.send({ id: asked.push(resolve) - 1, command, values });
    }),
  });
  process.on('message', async ({ id, value, run, url }) => {
    if (run === undefined) return asked[id](value);
    const scene = { client, url, stage, name: 'A process: ' + run };
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

/** A process which runs the cases one after another. With a runtime: where the client is installed; else with the source. */
export async function startClientProcess(runtime?: RuntimeName) {
  const isInstalled = runtime !== undefined;
  const folder = isInstalled ? (await part('installed')).folder : surroundings().runDirectory;
  const client = isInstalled ? '@vestibule/client' : './packages/client/src/index.ts';
  const outfile = `${folder}/client-cases.mjs`;
  await build({
    stdin: { contents: program(client), resolveDir: process.cwd(), loader: 'ts' },
    external: ['@vestibule/client', 'node:process'],
    bundle: true,
    outfile,
    format: 'esm',
    target: 'es2024',
  });
  const stage = await startClientStage();
  const started = isInstalled
    ? (await part('runtimes'))[runtime]
    : { execPath: process.execPath, execArgv: [] };
  const child = fork(outfile, { cwd: folder, ...started });
  child.on('message', async ({ id, command, values }: FromProgram) => {
    if (command !== undefined) child.send({ id, value: await stage.ask(command, values) });
  });
  return {
    async run(name: string): Promise<void> {
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      const onExit = (code: number | null) => reject(new Error(`The process has ended with ${code}.`));
      const onMessage = ({ command, failure }: FromProgram) => {
        if (command === undefined) failure === null ? resolve() : reject(new Error(failure));
      };
      child.on('message', onMessage).on('exit', onExit);
      child.send({ run: name, url: stage.url });
      await promise.finally(() => child.off('message', onMessage).off('exit', onExit));
    },
    async stop() {
      child.kill();
      await stage.stop();
    },
  };
}
