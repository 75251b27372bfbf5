import { readdirSync, readFileSync } from 'node:fs';
import { getPriority } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { isMainThread, parentPort } from 'node:worker_threads';
import { breathe, giveWay, letEngineGiveWay } from '../../src/base/giving-way.ts';
import { startThread, threadTask } from '../../src/base/threads.ts';
import { inTransaction } from '../../src/storage/transaction.ts';

/** A program with a thread that works, which gives way or does not; it prints how often the thread slept meanwhile. */
export interface Worked {
  /** In 40 ms of work in small pieces. */
  readonly inPieces: number;
  /** In 40 ms of a transaction of short statements. */
  readonly inStatements: number;
  /** In pieces after each of which there was nothing to do, besides that. */
  readonly withRests: number;
  readonly priority: number;
  readonly enginePriorities: readonly number[];
}

interface Task {
  readonly givesWay: boolean;
}

const pieces = 400;
const pieceMs = 0.1;

if (isMainThread) {
  const task: Task = { givesWay: process.argv.includes('--give-way') };
  const worker = startThread(new URL(import.meta.url), task);
  worker.once('message', (worked: Worked) => process.stdout.write(JSON.stringify(worked)));
} else {
  if (threadTask<Task>().givesWay) {
    giveWay(10);
    letEngineGiveWay(10);
  }
  const worked: Worked = {
    inPieces: await sleepsDuring(async () => {
      for (let piece = 0; piece < pieces; piece += 1) {
        work();
        breathe();
      }
    }),
    inStatements: await sleepsDuring(workInStatements),
    withRests: await restAndWork(40),
    priority: getPriority(0),
    enginePriorities: threadsNamed('V8Worker').map(getPriority),
  };
  parentPort?.postMessage(worked);
}

function work(): void {
  for (const until = performance.now() + pieceMs; performance.now() < until; );
}

async function workInStatements(): Promise<void> {
  const connection = {
    begin: 'begin',
    async run() {
      work();
      return { rows: [], rowCount: 0 };
    },
    explain: (error: unknown) => error,
    undo: async () => {},
  };
  await inTransaction(connection, async (transaction) => {
    for (let statement = 0; statement < pieces; statement += 1) await transaction.run('select 1', []);
  });
}

async function restAndWork(times: number): Promise<number> {
  const sleeps = await sleepsDuring(async () => {
    for (let time = 0; time < times; time += 1) {
      await sleep(2);
      work();
      breathe();
    }
  });
  return sleeps - times;
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
