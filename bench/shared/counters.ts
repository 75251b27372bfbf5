import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

const ticksPerSecond = Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' }));

/** The time a process has spent on a core so far, all its threads together, in its own code and in the kernel. */
export function cpuSeconds(pid: number): number {
  const fields = fieldsOf(pid);
  return (Number(fields[11]) + Number(fields[12])) / ticksPerSecond;
}

/** The same of all processes that this one has started and that have ended. */
export function cpuSecondsOfChildren(): number {
  const fields = fieldsOf(process.pid);
  return (Number(fields[13]) + Number(fields[14])) / ticksPerSecond;
}

function fieldsOf(pid: number): readonly string[] {
  const line = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // The name in parentheses may hold spaces; the fields are counted from behind it.
  return line.slice(line.lastIndexOf(')') + 2).split(' ');
}

/** The memory a process holds right now. */
export function residentMegabytes(pid: number): number {
  const kilobytes = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return Number(kilobytes) / 1024;
}
