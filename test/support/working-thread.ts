import { readdirSync, readFileSync } from 'node:fs';
import { getPriority } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { breathe, giveWay, letEngineGiveWay } from '../../src/base/giving-way.ts';

/** A program that works as a thread does that gives way or does not, and prints how often it slept. */
export interface Worked {
  readonly busyBreaths: number;
  readonly restedBreaths: number;
  readonly priority: number;
  readonly enginePriorities: readonly number[];
}

if (process.argv.includes('--give-way')) {
  giveWay(10);
  letEngineGiveWay(10);
}
const busyBreaths = await sleepsDuring(async () => {
  for (let piece = 0; piece < 400; piece += 1) work(0.1);
});
const rests = 40;
const restedBreaths = await sleepsDuring(async () => {
  for (let rest = 0; rest < rests; rest += 1) {
    await sleep(2);
    work(0.1);
  }
});
const worked: Worked = {
  busyBreaths,
  restedBreaths: restedBreaths - rests,
  priority: getPriority(0),
  enginePriorities: threadsNamed('V8Worker').map(getPriority),
};
process.stdout.write(JSON.stringify(worked));

function work(milliseconds: number): void {
  for (const until = performance.now() + milliseconds; performance.now() < until; );
  breathe();
}

/** How often this thread has left its core by its own will. */
async function sleepsDuring(doing: () => Promise<void>): Promise<number> {
  const count = () =>
    Number(/^voluntary_ctxt_switches:\s+(\d+)/m.exec(readFileSync('/proc/thread-self/status', 'utf8'))?.[1]);
  const before = count();
  await doing();
  return count() - before;
}

function threadsNamed(ending: string): number[] {
  return readdirSync('/proc/self/task')
    .filter((thread) => readFileSync(`/proc/self/task/${thread}/comm`, 'utf8').trim().endsWith(ending))
    .map(Number);
}
