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
