import { answer, json, jsonText, type PublicHandler } from '../base/handler.ts';
import type { Log } from '../base/log.ts';
import type { Config } from '../config/settings.ts';
import { asset, findBuiltFiles, page } from '../frontend/page.ts';
import type { Limits } from '../http/limits.ts';
import { Listener } from '../http/listener.ts';
import { createOpsServer, type OpsHandlers } from '../http/ops-server.ts';
import { createConsoleAccess } from '../ops/console-access.ts';
import { ConsoleData, type ConsoleParts } from '../ops/console-data.ts';

export interface OpsParts extends Omit<OpsHandlers, 'console'> {
  readonly limits: Limits;
  readonly forConsole: ForConsole;
}

interface ForConsole extends ConsoleParts {
  /** All data that is stored about a caller. Null if there is none. */
  readonly consumer: (id: string) => Promise<object | null>;
  readonly log: Log;
}

type OpsConfig = Pick<Config, 'opsHost' | 'opsPort' | 'opsToken' | 'console'>;

const opsShutdownMs = 1_000;

/** Opens the port for health, metrics and the console. */
export async function openOpsPort(config: OpsConfig, { limits, forConsole, ...handlers }: OpsParts) {
  const { opsHost, opsPort } = config;
  const access = findConsoleAccess(config, forConsole.log);
  const data = access && new ConsoleData(forConsole);
  await data?.start();
  const console = access && data ? consoleHandlers(access, data, forConsole.consumer) : {};
  const server = createOpsServer(limits, { ...handlers, console });
  const listener = new Listener(server, forConsole.clock);
  const address = await listener.listen(opsHost, opsPort, 'OPS_PORT').catch((error: unknown) => {
    data?.stop();
    throw error;
  });
  const stop = () => {
    data?.stop();
    return listener.close(opsShutdownMs);
  };
  return { address, stop };
}

type ConsoleAccess = NonNullable<ReturnType<typeof createConsoleAccess>>;

/** Null if the console is off. */
function findConsoleAccess({ opsHost: host, opsToken: token, console }: OpsConfig, log: Log) {
  const access = console === 'off' ? null : createConsoleAccess({ host, token });
  if (console !== 'off' && access === null)
    log.info({ ops_host: host }, 'the console is off: OPS_HOST is not loopback, and OPS_TOKEN is not set');
  return access;
}

/** The files and data of the console, by path. */
function consoleHandlers(
  access: ConsoleAccess,
  data: ConsoleData,
  consumer: ForConsole['consumer'],
): Readonly<Record<string, PublicHandler>> {
  const files = findBuiltFiles('console');
  const assets = files?.assets.map((file) => [`/console/${file.name}`, access.page(asset(file))]) ?? [];
  return {
    '/': access.page(files === null ? notBuilt : page(files.page)),
    ...Object.fromEntries(assets),
    '/console/data': access.data(async () => jsonText(await data.text())),
    '/console/consumers/:id': access.data(async ({ params }) => {
      const held = await consumer(String(params.id));
      return held === null ? json({ status: 'not_found' }, { status: 404 }) : json(held);
    }),
  };
}

const notBuilt: PublicHandler = () =>
  answer('text/plain; charset=utf-8', 'The console is not built. Build it with: npm ci && npm run build\n', {
    status: 503,
  });
