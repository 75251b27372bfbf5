import { mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { measureDpop } from './dpop/rounds.ts';
import { measureEvents } from './events/rounds.ts';
import { measureFamilies } from './families/rounds.ts';
import { measureFiles } from './files/rounds.ts';
import { measureMe } from './me/rounds.ts';
import { measureMemory, memoryAlgorithm } from './memory/memory.ts';
import { measureProcesses } from './processes/rounds.ts';
import { measureRecords } from './records/rounds.ts';
import { measureRequests } from './requests/rounds.ts';
import { chooseLoadGenerator } from './shared/load.ts';
import { readOptions, type Subject } from './shared/options.ts';
import { endAll, findProgram } from './shared/processes.ts';
import { Provider } from './shared/provider.ts';
import type { Stage } from './shared/stage.ts';
import { goodToken } from './shared/tokens.ts';
import { measureStart } from './start/rounds.ts';
import { measureToken } from './token/rounds.ts';

/** Each measures, writes what came out to the results, and answers with what is to be shown. */
const subjects: Readonly<Record<Subject, (stage: Stage) => Promise<string>>> = {
  me: measureMe,
  memory: measureMemory,
  token: measureToken,
  records: measureRecords,
  events: measureEvents,
  processes: measureProcesses,
  verify: measureMe,
  dpop: measureDpop,
  start: measureStart,
  families: measureFamilies,
  requests: measureRequests,
  files: measureFiles,
};

const limitMinutes = 60;

const folder = mkdtempSync(join(tmpdir(), 'vestibule-bench-'));
process.once('exit', () => {
  endAll();
  rmSync(folder, { recursive: true, force: true });
});
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => process.exit(130));
setTimeout(
  () => fail(new Error(`Not through after ${limitMinutes} minutes.`)),
  limitMinutes * 60_000,
).unref();
await run().catch(fail);

async function run(): Promise<void> {
  const options = readOptions();
  if (process.platform !== 'linux' || findProgram('taskset') === null || availableParallelism() < 2) {
    throw new Error(
      'The benchmark needs Linux, taskset and two cores: one for the server, one for the load.',
    );
  }
  const generator = chooseLoadGenerator(options.load);
  const provider = await Provider.start(options.subject === 'memory' ? memoryAlgorithm : 'RS256');
  const stage = { options, generator, folder, provider, goodToken: await goodToken(provider), say };
  say(`\n${await subjects[options.subject](stage)}`);
  provider.stop();
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

function fail(error: Error): never {
  process.stderr.write(`bench: ${error.message}\n`);
  process.exit(1);
}
