import { setTimeout as pause } from 'node:timers/promises';
import { request } from '../support/http/request.ts';
import { until } from '../support/run/polling.ts';
import type { Service } from '../support/services/service.ts';

const lookEveryMs = 50;
/** A process that does not report within that time is not ready. */
const answerWithinMs = 1_000;

interface Process {
  readonly service: Service;
  isReady: boolean;
  isStopping: boolean;
  requests: number;
}

/** A load balancer: checks which processes are ready, and sends requests to them. */
export class ReadyProcesses {
  readonly #all = new Set<Process>();
  #next = 0;
  /** Processes that were not ready although they were not being stopped. */
  readonly unready: string[] = [];

  /** Takes a process in, once it is ready. */
  async add(service: Service): Promise<void> {
    const one: Process = { service, isReady: false, isStopping: false, requests: 0 };
    this.#all.add(one);
    void this.#watch(one);
    await until(() => one.isReady, Boolean, 'it does not become ready');
  }

  /** Lets a process stop as an operator would. It has answered something by then. */
  async stop(service: Service): Promise<void> {
    const one = [...this.#all].find((process) => process.service === service) as Process;
    const requests = () => one.requests;
    await until(requests, (requests) => requests > 0, 'nobody has asked it');
    one.isStopping = true;
    await service.stop();
    this.#all.delete(one);
  }

  async stopAll(): Promise<void> {
    const all = [...this.#all];
    this.#all.clear();
    for (const { service } of all) await service.stop();
  }

  /** Where the next request goes. */
  pick(): string {
    const ready = [...this.#all].filter(({ isReady }) => isReady);
    this.#next += 1;
    const one = ready[this.#next % ready.length];
    if (one === undefined) throw new Error('no process is ready');
    one.requests += 1;
    return one.service.url;
  }

  async #watch(one: Process): Promise<void> {
    while (this.#all.has(one)) {
      const { status, text } = await this.#ask(one.service);
      if (one.isReady && status === 503 && !one.isStopping) this.unready.push(text);
      one.isReady = status === 200;
      await pause(lookEveryMs);
    }
  }

  async #ask({ opsUrl }: Service): Promise<{ readonly status: number; readonly text: string }> {
    try {
      return await request(`${opsUrl}/readyz`, { signal: AbortSignal.timeout(answerWithinMs) });
    } catch {
      return { status: 0, text: '' };
    }
  }
}
