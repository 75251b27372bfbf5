import { mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { bare, choosePeers, type Peer } from './line-up.ts';
import { chooseLoadGenerator } from './load.ts';
import { measurePeer, partsOf, type Round } from './measure.ts';
import { measureMemory, memoryAlgorithm } from './memory.ts';
import { readOptions } from './options.ts';
import { endAll, findProgram } from './processes.ts';
import { Provider } from './provider.ts';
import { writeRecordsReport } from './records-report.ts';
import { measureAllRecords } from './records-rounds.ts';
import { writeMemory, writeReport } from './report.ts';
import { takeAnswer } from './stage.ts';
import { writeTokenReport } from './token-report.ts';
import { measureTokens } from './token-rounds.ts';
import { badTokens, goodToken, signTokens } from './tokens.ts';

/** Past the 100,000 that are remembered at most, so that it shows whether the memory stays there. */
const memoryTokens = 400_000;
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

/** The order of everything. */
async function run(): Promise<void> {
  const options = readOptions();
  if (process.platform !== 'linux' || findProgram('taskset') === null || availableParallelism() < 2) {
    throw new Error(
      'The benchmark needs Linux, taskset and two cores: one for the server, one for the load.',
    );
  }
  const generator = chooseLoadGenerator(options.load);
  const provider = await Provider.start(options.memory ? memoryAlgorithm : 'RS256');
  const told = {
    folder,
    provider,
    goodToken: await goodToken(provider),
    badTokens: await badTokens(provider),
  };

  if (options.token) {
    say(`\n${writeTokenReport(await measureTokens(told, generator, options, say), generator, options)}`);
    provider.stop();
    return;
  }

  if (options.records) {
    const measured = await measureAllRecords(told, generator, options, say);
    say(`\n${writeRecordsReport(measured, generator, options)}`);
    provider.stop();
    return;
  }

  const peers = choosePeers(options.only);
  const stage = { ...told, answer: await takeAnswer(told) };

  if (options.memory) {
    const steps = await measureMemory(stage, generator, options.partial ? 8_000 : memoryTokens, say);
    writeMemory(steps, options);
    provider.stop();
    return;
  }

  const { total } = partsOf(options.newTokens);
  say(`Signing ${total.toLocaleString('en')} tokens.`);
  const tokens = await signTokens(provider, total, join(folder, 'tokens.txt'));
  const plan = { generator, tokens, seconds: options.seconds, newTokens: options.newTokens };

  // Round by round rather than peer by peer: a slow minute of the machine then falls on all of them.
  const rounds = new Map<Peer, Round[]>();
  for (let number = 1; number <= options.repeat; number++) {
    for (const peer of peers) {
      const round = await measurePeer(peer, stage, plan).catch((cause) => {
        throw new Error(`${peer.name}: ${cause.message}`, { cause });
      });
      if (round === null) {
        if (number === 1) say(`${peer.name} is not on this machine and is left out.`);
        continue;
      }
      rounds.set(peer, [...(rounds.get(peer) ?? []), round]);
      say(`round ${number}  ${peer.name.padEnd(20)}${inShort('seen', round)}${inShort('new', round)}`);
    }
  }
  say(`\n${writeReport(rounds, rounds.get(bare) ?? [], generator, options)}`);
  provider.stop();
}

function inShort(work: 'seen' | 'new', round: Round): string {
  const { requestsPerSecond, cpuMicroseconds } = round[work];
  return `  ${work} ${requestsPerSecond.toFixed(0).padStart(6)}/s ${cpuMicroseconds.toFixed(1).padStart(6)} us`;
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

function fail(error: Error): never {
  process.stderr.write(`bench: ${error.message}\n`);
  process.exit(1);
}
