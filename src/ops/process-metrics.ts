import { readdirSync } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { getHeapStatistics } from 'node:v8';
import type { Exposition } from './exposition.ts';

/** A finer resolution of the event loop's delay would make requests slower. */
const resolutionMs = 100;

export function describeProcess(exposition: Exposition): void {
  const startedAt = Date.now() / 1000 - process.uptime();
  const delay = monitorEventLoopDelay({ resolution: resolutionMs });
  delay.enable();
  const lateBy = (nanoseconds: number) => Math.max(nanoseconds / 1e9 - resolutionMs / 1000, 0);
  exposition.watch({
    process_cpu_seconds_total: cpuSeconds,
    process_start_time_seconds: () => startedAt,
    process_resident_memory_bytes: () => process.memoryUsage.rss(),
    process_open_fds: countOpenFiles,
    nodejs_heap_size_used_bytes: () => getHeapStatistics().used_heap_size,
    nodejs_heap_size_total_bytes: () => getHeapStatistics().total_heap_size,
    nodejs_external_memory_bytes: () => process.memoryUsage().external,
    nodejs_eventloop_lag_mean_seconds: () => lateBy(delay.mean),
    nodejs_eventloop_lag_p99_seconds: () => lateBy(delay.percentile(99)),
    nodejs_eventloop_lag_max_seconds: () => {
      const worst = lateBy(delay.max);
      // The last of the three begins the next period.
      delay.reset();
      return worst;
    },
  });
}

function cpuSeconds(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
}

function countOpenFiles(): number {
  try {
    return readdirSync('/proc/self/fd').length;
  } catch {
    return 0;
  }
}
