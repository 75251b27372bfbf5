import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { loadCore, type RunningServer, script, startServer } from './processes.ts';

/** Opens so many streams, of these callers in turn, and holds them in a process of its own until it is stopped. */
export async function holdStreams(
  origin: string,
  tokens: readonly string[],
  count: number,
  folder: string,
): Promise<RunningServer> {
  const file = join(folder, `holder-${count}.log`);
  const tokensFile = join(folder, 'tokens.txt');
  writeFileSync(tokensFile, tokens.join('\n'));
  const program = script(join(import.meta.dirname, 'hold-streams.ts'), { origin, tokensFile, count });
  const holder = startServer(program, file, loadCore);
  const deadline = performance.now() + 120_000;
  while (!readFileSync(file, 'utf8').includes(`${count} open`)) {
    const words = holder.lastWords();
    if (words !== null) throw new Error(`The streams were not opened: ${words}`);
    if (performance.now() > deadline) throw new Error('The streams are not open after two minutes.');
    await sleep(50);
  }
  return holder;
}
