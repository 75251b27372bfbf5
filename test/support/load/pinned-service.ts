import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { openSync, readFileSync } from 'node:fs';
import { until } from '../run/polling.ts';
import type { Settings } from '../services/service.ts';

/** The service has a core to itself, and everything else another. */
export const serviceCore = '0';
const loadCore = '1';

/** For this process and all that it starts from now on. */
export function pinLoad(): void {
  execFileSync('taskset', ['-a', '-c', '-p', loadCore, String(process.pid)]);
}

export type PinnedService = Awaited<ReturnType<typeof startPinned>>;

/** Its log goes to a file: a pipe would make it wait for its reader, which is the load generator. */
export async function startPinned(settings: Settings) {
  const logFile = `${settings.TEST_DIRECTORY}/service.log`;
  const log = openSync(logFile, 'w');
  const parameters = ['-c', serviceCore, process.execPath, 'bin/vestibule.js', 'serve'];
  const child = spawn('taskset', parameters, {
    env: { PATH: process.env.PATH, ...settings },
    stdio: ['ignore', log, log],
  });
  process.once('exit', () => child.kill('SIGKILL'));
  const closed = new Promise((resolve) => child.once('close', resolve));
  const listening = () => /^.*"msg":"listening".*$/m.exec(readFileSync(logFile, 'utf8'))?.[0] ?? '';
  const line = await until(listening, Boolean, 'the service does not listen', 60_000);
  const { address, ops_address } = JSON.parse(line) as Readonly<Record<'address' | 'ops_address', string>>;
  return {
    url: address,
    opsUrl: ops_address,
    process: child,
    async stop() {
      child.kill('SIGTERM');
      await closed;
    },
  };
}

/** The memory of a service, looked at ten times a second. */
export class MemoryWatch {
  readonly #pid: number;
  readonly #timer: NodeJS.Timeout;
  readonly before: number;
  max: number;

  constructor({ process }: PinnedService) {
    this.#pid = Number(process.pid);
    this.before = this.now();
    this.max = this.before;
    this.#timer = setInterval(() => {
      this.max = Math.max(this.max, this.now());
    }, 100);
  }

  /** In megabytes. */
  now(): number {
    const text = readFileSync(`/proc/${this.#pid}/status`, 'utf8');
    return Math.round(Number(/^VmRSS:\s+(\d+) kB/m.exec(text)?.[1]) / 1024);
  }

  stop(): string {
    clearInterval(this.#timer);
    return `${this.before} MB before, ${this.max} MB at most (+${this.max - this.before}), ${this.now()} MB after`;
  }
}

/** The time that a service has had of its core so far, in seconds. Much less than has gone by: others were there, too. */
export function cpuSeconds({ process }: { readonly process: ChildProcess }): number {
  const fields = readFileSync(`/proc/${process.pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) / 100;
}
