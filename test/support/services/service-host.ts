import { type ChildProcess, spawn } from 'node:child_process';
import type { HostReply, HostRequest } from './host-main.ts';

type Waiting = PromiseWithResolvers<HostReply>;

/** Omit that keeps the members of a union apart. */
type Without<T, K extends PropertyKey> = T extends unknown ? Omit<T, K> : never;

/** The process that runs the services of this worker. It starts with the first, and ends with the worker. */
export class ServiceHost {
  readonly #child: ChildProcess;
  readonly #waiting = new Map<number, Waiting>();
  #last = 0;
  #output = '';

  constructor(program: string) {
    this.#child = spawn(process.execPath, [program], {
      env: { PATH: process.env.PATH, NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE },
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    });
    for (const stream of [this.#child.stdout, this.#child.stderr])
      stream?.on('data', (chunk) => {
        this.#output += chunk;
        process.stderr.write(chunk);
      });
    this.#child.on('message', (reply: HostReply) => {
      this.#waiting.get(reply.id)?.resolve(reply);
      this.#waiting.delete(reply.id);
    });
    this.#child.on('exit', (code, signal) => {
      for (const { reject } of this.#waiting.values())
        reject(new Error(`The process of the services ended (${code ?? signal}): ${this.#output}`));
    });
    // It does not keep the worker: only what waits for an answer does.
    this.#child.unref();
    this.#child.channel?.unref();
    for (const stream of [this.#child.stdout, this.#child.stderr])
      (stream as { unref?(): void } | null)?.unref?.();
  }

  get hasEnded(): boolean {
    return this.#child.exitCode !== null || this.#child.signalCode !== null;
  }

  /** Its standard output and standard error since the start; expected to be empty. */
  get output(): string {
    return this.#output;
  }

  async ask(request: Without<HostRequest, 'id'>): Promise<HostReply> {
    this.#last += 1;
    const id = this.#last;
    const waiting = Promise.withResolvers<HostReply>();
    this.#waiting.set(id, waiting);
    this.#child.channel?.ref();
    try {
      this.#child.send({ ...request, id });
      const reply = await waiting.promise;
      if (reply.error !== undefined) throw new Error(reply.error);
      return reply;
    } finally {
      if (this.#waiting.size === 0) this.#child.channel?.unref();
    }
  }
}
