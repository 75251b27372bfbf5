import { json, type PublicHandler } from '../base/handler.ts';
import type { Config } from '../config/settings.ts';
import type { Limits } from '../http/limits.ts';
import { Listener } from '../http/listener.ts';
import { createOpsServer } from '../http/ops-server.ts';
import { type ConsoleOptions, startConsole } from './console.ts';

interface OpsPortOptions extends ConsoleOptions {
  readonly limits: Limits;
  readonly live: PublicHandler;
  readonly metrics: PublicHandler;
}

const shutdownMs = 1_000;

/** Health, metrics and the console. */
export async function createOpsPort(config: Config, { limits, live, metrics, ...options }: OpsPortOptions) {
  const { handlers, stop } = await startConsole(config, options);
  const ready = async () => {
    const { status, body } = await options.ready();
    return json(body, { status });
  };
  const listener = new Listener(
    createOpsServer(limits, { live, ready, metrics, console: handlers }),
    options.clock,
  );
  return {
    listen: () => listener.listen(config.opsHost, config.opsPort, 'OPS_PORT'),
    async stop() {
      stop();
      await listener.close(shutdownMs);
    },
  };
}
