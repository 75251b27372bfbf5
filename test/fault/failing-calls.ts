import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { findProgram } from '../support/run/programs.ts';

/** The system calls by which SQLite writes to the disk. */
export const diskCalls = 'pwrite64,fsync,fdatasync,ftruncate';

interface Failure {
  readonly calls: string;
  /** The name of the error, such as EIO. */
  readonly error: string;
  /** Which of the calls of a thread from now on: "3" for the third, "3+" for that one and all that follow. */
  readonly when: string;
}

/**
 * Has system calls of a running process fail, until the returned function is called: how many did. This is strace's to do,
 * since nothing inside of the process could be sure to come between SQLite and its disk.
 */
export async function failCalls(
  pid: number,
  { calls, error, when }: Failure,
): Promise<() => Promise<number>> {
  const inject = `inject=${calls}:error=${error}:when=${when}`;
  const parameters = ['-f', '-p', String(pid), '-e', `trace=${calls}`, '-e', inject];
  const strace = spawn(await findProgram('strace'), parameters, { stdio: ['ignore', 'ignore', 'pipe'] });
  let said = '';
  const attached = Promise.withResolvers<void>();
  strace.stderr.on('data', (chunk) => {
    said += chunk;
    if (said.includes('attached')) attached.resolve();
  });
  const closed = once(strace, 'close');
  void closed.then(() => attached.reject(new Error(`strace has ended: ${said}`)));
  attached.promise.catch(() => {});
  await attached.promise;
  return async () => {
    strace.kill('SIGTERM');
    await closed;
    return said.split('(INJECTED)').length - 1;
  };
}
