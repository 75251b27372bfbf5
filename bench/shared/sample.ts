import { cpuSeconds, residentMegabytes } from './counters.ts';
import type { LoadResult } from './load.ts';

/** The results of one load on one process. */
export interface Sample {
  readonly requests: number;
  readonly requestsPerSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** Of one request, all threads of the process together. */
  readonly cpuMicroseconds: number;
  readonly residentMegabytes: number;
}

/** Sends a load to a process, and reads the counters of the kernel before and after. */
export async function takeSample(pid: number, load: () => Promise<LoadResult>): Promise<Sample> {
  const before = cpuSeconds(pid);
  const { requests, seconds, p50Ms, p99Ms } = await load();
  const spent = cpuSeconds(pid) - before;
  return {
    requests,
    requestsPerSecond: requests / seconds,
    p50Ms,
    p99Ms,
    cpuMicroseconds: (spent * 1e6) / requests,
    residentMegabytes: residentMegabytes(pid),
  };
}
