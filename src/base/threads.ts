import { readdirSync, readFileSync } from 'node:fs';
import { availableParallelism, setPriority } from 'node:os';
import { type Transferable, Worker, workerData } from 'node:worker_threads';

/**
 * What a thread has for objects that die young. The usual is four times that, which it fills before it looks: 40 MB more
 * for 3 % less work.
 */
const youngMegabytes = 24;

/**
 * Runs a module on a thread of its own. What it is there for is what `threadTask` answers with on that thread; what of
 * it cannot be in two places at once is handed over.
 */
export function startThread(module: URL, task: unknown, handedOver: readonly Transferable[] = []): Worker {
  return new Worker(new URL('./start-thread.js', import.meta.url), {
    workerData: { module: module.href, task },
    transferList: [...handedOver],
    resourceLimits: { maxYoungGenerationSizeMb: youngMegabytes },
  });
}

export function threadTask<Task>(): Task {
  return (workerData as { readonly task: Task }).task;
}

const lowest = 19;

/**
 * Lets the thread that calls this give way to others: the lower its priority, the more. Linux has a priority for each
 * thread; elsewhere it would be that of the whole process, so everything stays as it is.
 */
export function giveWay(priority = lowest): void {
  if (process.platform === 'linux') setPriorityOf(0, priority);
}

/**
 * The same for the threads of the engine that collect garbage and compile, where they have no other core to do it on:
 * they go on for milliseconds, and put aside whoever answers requests.
 */
export function letEngineGiveWay(priority: number): void {
  if (process.platform !== 'linux' || availableParallelism() > 1) return;
  for (const thread of readdirSync(threadFolder)) {
    if (nameOf(thread).endsWith('V8Worker')) setPriorityOf(Number(thread), priority);
  }
}

const threadFolder = '/proc/self/task';

function nameOf(thread: string): string {
  try {
    return readFileSync(`${threadFolder}/${thread}/comm`, 'utf8').trim();
  } catch {
    // It has ended meanwhile.
    return '';
  }
}

function setPriorityOf(thread: number, priority: number): void {
  try {
    setPriority(thread, priority);
  } catch {
    // Where that is not allowed everything stays as it is.
  }
}
