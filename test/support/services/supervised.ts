import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { Agent } from 'node:http';
import { send } from '../http/request.ts';
import { until } from '../run/polling.ts';
import type { Service } from './service.ts';

/** The processes that a supervisor runs, by their ids; one that has just been killed may still be among them. */
export function childrenOf({
  process: { pid },
}: {
  readonly process: { readonly pid?: number | undefined };
}) {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim();
  return children === '' ? [] : children.split(' ').map(Number);
}

/** Once so many take connections. */
export function serving({ opsUrl }: Service, count: number) {
  type Health = { status: string; processes: Readonly<Record<'wanted' | 'serving' | 'silent', number>> };
  const health = async () => (await (await fetch(`${opsUrl}/livez`)).json()) as Health;
  const areThere = ({ processes }: Health) => processes.serving === count && processes.silent === 0;
  return until(health, areThere, `there are not ${count} processes`);
}

/** The lines in which the supervisor says that a process has ended. */
export function endings(service: Service): Record<string, unknown>[] {
  return service.logLines().filter(({ msg }) => msg === 'a process has ended and is replaced');
}

export async function metric(service: Service, name: string): Promise<number> {
  const value = new RegExp(`^${name} (\\S+)$`, 'm').exec(await service.metrics())?.[1];
  return Number(value ?? assert.fail(`${name} is missing`));
}

/** A request that came to nothing: when it began, when it failed, and how. */
export interface Failure {
  readonly beganAt: number;
  readonly failedAt: number;
  readonly code: string;
}

interface Question {
  readonly method: 'GET' | 'POST';
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** Callers who ask one thing after another, each on a connection of its own; every other one on a new one each time. */
export class SteadyLoad {
  readonly failures: Failure[] = [];
  readonly statuses = new Map<number, number>();
  longestMs = 0;
  #isOver = false;
  readonly #loops: Promise<void>[];

  constructor(count: number, question: (caller: number, turn: number) => Question) {
    this.#loops = Array.from({ length: count }, (_, caller) => this.#ask(caller, question));
  }

  get answered(): number {
    return [...this.statuses.values()].reduce((sum, one) => sum + one, 0);
  }

  async stop(): Promise<void> {
    this.#isOver = true;
    await Promise.all(this.#loops);
  }

  async #ask(caller: number, question: (caller: number, turn: number) => Question): Promise<void> {
    const agent = new Agent({ keepAlive: caller % 2 === 0, maxSockets: 1 });
    for (let turn = 0; !this.#isOver; turn += 1) {
      const beganAt = performance.now();
      try {
        const { url, ...init } = question(caller, turn);
        const { status } = await send(url, { ...init, agent });
        this.statuses.set(status, (this.statuses.get(status) ?? 0) + 1);
      } catch (error) {
        const { code = 'unknown' } = error as { code?: string };
        this.failures.push({ beganAt, failedAt: performance.now(), code });
      }
      this.longestMs = Math.max(this.longestMs, performance.now() - beganAt);
    }
    agent.destroy();
  }
}
