import { setPriority } from 'node:os';
import { Worker, workerData } from 'node:worker_threads';

/** Runs a module on a thread of its own. What it is there for is what `threadTask` answers with on that thread. */
export function startThread(module: URL, task: unknown): Worker {
  return new Worker(new URL('./start-thread.js', import.meta.url), {
    workerData: { module: module.href, task },
  });
}

export function threadTask<Task>(): Task {
  return (workerData as { readonly task: Task }).task;
}

const lowestPriority = 19;

/**
 * Lets the thread that calls this give way to all others. Linux has a priority for each thread; elsewhere it would be
 * that of the whole process, so everything stays as it is.
 */
export function giveWay(): void {
  if (process.platform !== 'linux') return;
  try {
    setPriority(lowestPriority);
  } catch {
    // Where that is not allowed, too.
  }
}
