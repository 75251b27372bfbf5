import { Agent } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { parentPort, Worker, workerData } from 'node:worker_threads';
import { type Asked, send } from './send.ts';

/** Another person, in a thread of its own: a small read, a small write and a probe in turn, until it is told to stop. */

interface Requests {
  readonly url: string;
  readonly opsUrl: string;
  readonly read: Asked;
  readonly write: Asked;
}

/** Milliseconds of each request. */
export interface Waits {
  readonly read: number[];
  readonly write: number[];
  readonly livez: number[];
  readonly statuses: Record<number, number>;
}

export class Bystander {
  readonly #worker: Worker;

  constructor(requests: Requests) {
    this.#worker = new Worker(new URL(import.meta.url), { workerData: requests });
  }

  /** What it waited while this work ran. */
  async during(work: () => Promise<unknown>): Promise<Waits> {
    this.#worker.postMessage('begin');
    await work();
    const { promise, resolve, reject } = Promise.withResolvers<Waits>();
    this.#worker.once('message', resolve).once('error', reject);
    this.#worker.postMessage('stop');
    try {
      return await promise;
    } finally {
      this.#worker.off('error', reject);
    }
  }

  async stop(): Promise<void> {
    await this.#worker.terminate();
  }
}

function run({ url, opsUrl, read, write }: Requests): void {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const steps = [
    ['read', url, read],
    ['write', url, write],
    ['livez', opsUrl, { path: '/livez' }],
  ] as const;
  let isOn = false;
  const round = async (waits: Waits) => {
    for (let n = 0; isOn; n += 1) {
      const [name, origin, asked] = steps[n % steps.length] as (typeof steps)[number];
      const since = performance.now();
      const { status } = await send(origin, agent, asked);
      waits[name].push(performance.now() - since);
      waits.statuses[status] = (waits.statuses[status] ?? 0) + 1;
      await pause(2);
    }
    parentPort?.postMessage(waits);
  };
  parentPort?.on('message', (text) => {
    isOn = text === 'begin';
    if (isOn) void round({ read: [], write: [], livez: [], statuses: {} });
  });
}

if (workerData !== null && parentPort !== null) run(workerData);
