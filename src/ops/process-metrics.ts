import { readdirSync } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { getHeapStatistics } from 'node:v8';
import type { Exposition } from './exposition.ts';

/** How finely the delay of the event loop is measured. A finer grain shows in what a request costs. */
const resolutionMs = 100;

/**
 * The process itself, under the names that dashboards for Node.js know. All is read when somebody looks.
 */
export function describeProcess(exposition: Exposition): void {
  const describe = exposition.gauge.bind(exposition);
  const cpuTime = { name: 'process_cpu_seconds_total', type: 'counter' } as const;
  const cpuHelp = 'Processor time spent, in the program and in the system on its behalf.';
  exposition.add({ ...cpuTime, help: cpuHelp }, () => [{ labels: {}, value: totalCpuSeconds() }]);
  const startedAt = Date.now() / 1000 - process.uptime();
  describe(
    'process_start_time_seconds',
    'When the process began, in seconds since 1970.',
    () => startedAt,
    'least',
  );
  describe(
    'process_resident_memory_bytes',
    'Memory held by the process.',
    () => process.memoryUsage.rss(),
    'sum',
  );
  describe(
    'process_open_fds',
    'Open files and sockets; 0 where the system does not tell.',
    countOpenFiles,
    'sum',
  );
  describe(
    'nodejs_heap_size_used_bytes',
    'Memory used by objects of the program.',
    () => getHeapStatistics().used_heap_size,
    'sum',
  );
  describe(
    'nodejs_heap_size_total_bytes',
    'Memory set aside for objects of the program.',
    () => getHeapStatistics().total_heap_size,
    'sum',
  );
  describe(
    'nodejs_external_memory_bytes',
    'Memory used by buffers and by Node.',
    () => process.memoryUsage().external,
    'sum',
  );

  const delay = monitorEventLoopDelay({ resolution: resolutionMs });
  delay.enable();
  const lateBy = (nanoseconds: number) => Math.max(nanoseconds / 1e9 - resolutionMs / 1000, 0);
  describe(
    'nodejs_eventloop_lag_mean_seconds',
    'How late the event loop was on average since the last look.',
    () => lateBy(delay.mean),
  );
  describe(
    'nodejs_eventloop_lag_p99_seconds',
    'How late the event loop was at the worst hundredth since the last look.',
    () => lateBy(delay.percentile(99)),
  );
  describe(
    'nodejs_eventloop_lag_max_seconds',
    'How late the event loop was at worst since the last look.',
    () => {
      const worst = lateBy(delay.max);
      // The last of the three begins the next period.
      delay.reset();
      return worst;
    },
  );
}

function totalCpuSeconds(): number {
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
