import type { Limits } from '../http/limits.ts';
import { Listener } from '../http/listener.ts';
import { createOpsServer, type OpsHandlers } from '../http/ops-server.ts';
import { type OpsConfig, startConsole } from './console.ts';

export interface OpsParts extends Omit<OpsHandlers, 'console'> {
  readonly limits: Limits;
  readonly forConsole: Parameters<typeof startConsole>[1];
}

const opsShutdownMs = 1_000;

/** Opens the port for health, metrics and the console. */
export async function openOpsPort(config: OpsConfig, { limits, forConsole, ...handlers }: OpsParts) {
  const console = await startConsole(config, forConsole);
  const server = createOpsServer(limits, { ...handlers, console: console.handlers });
  const listener = new Listener(server, forConsole.clock);
  const { opsHost, opsPort } = config;
  const address = await listener.listen(opsHost, opsPort, 'OPS_PORT').catch((error: unknown) => {
    console.stop();
    throw error;
  });
  const stop = () => {
    console.stop();
    return listener.close(opsShutdownMs);
  };
  return { address, stop };
}
