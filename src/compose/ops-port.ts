import { json } from '../base/handler.ts';
import type { createProgress } from '../base/progress.ts';
import type { Limits } from '../http/limits.ts';
import { Listener } from '../http/listener.ts';
import { createOpsServer } from '../http/ops-server.ts';
import { live, startingReadiness } from '../ops/health.ts';
import type { Metrics } from '../ops/metrics.ts';
import { type OpsConfig, startConsole } from './console.ts';
import type { createConsoleState } from './console-state.ts';

interface Serving {
  readonly ready: () => Promise<{ readonly status: number; readonly body: Record<string, unknown> }>;
  readonly forConsole: ReturnType<typeof createConsoleState>;
}

export type Status = ReturnType<typeof createStatus>;

/** What a process says of itself: that it starts, until it serves. */
export function createStatus(port: number, progress: ReturnType<typeof createProgress>) {
  let serving: Serving | null = null;
  const ready: Serving['ready'] = async () =>
    serving?.ready() ?? startingReadiness(await progress.text(), port);
  return {
    ready,
    state: async () => serving?.forConsole.state() ?? null,
    consumer: async (id: string) => serving?.forConsole.consumer(id) ?? null,
    serve(parts: Serving) {
      serving = parts;
    },
  };
}

interface OpsParts extends Omit<Parameters<typeof startConsole>[1], 'read'> {
  readonly limits: Limits;
  readonly metrics: Metrics;
}

const opsShutdownMs = 1_000;

/** Opens the port for health, metrics and the console of one process. Returns its address. */
export async function openOpsPort(
  config: OpsConfig,
  { limits, metrics, ...parts }: OpsParts,
  running: AsyncDisposableStack,
): Promise<string> {
  const read = async () => {
    const families = metrics.families('console');
    return { families, processes: [{ process: 1, endings: 0, families }] };
  };
  const consolePage = await startConsole(config, { ...parts, read });
  running.defer(() => consolePage.stop());
  const ready = async () => {
    const { status, body } = await parts.ready();
    return json(body, { status });
  };
  const handlers = { live, ready, metrics: metrics.expose, console: consolePage.handlers };
  const listener = new Listener(createOpsServer(limits, handlers), parts.clock);
  const address = await listener.listen(config.opsHost, config.opsPort, 'OPS_PORT');
  running.defer(() => listener.close(opsShutdownMs));
  return address;
}
