import { readFileSync } from 'node:fs';
import type { Clock } from '../base/clock.ts';
import { answer, json, jsonText, type PublicHandler } from '../base/handler.ts';
import type { Log } from '../base/log.ts';
import type { SettingInForce } from '../config/load.ts';
import type { Config } from '../config/settings.ts';
import { asset, findBuiltFiles, page } from '../frontend/page.ts';
import { createConsoleAccess, isConsoleReachable } from '../ops/console-access.ts';
import { ConsoleData, type ConsoleParts } from '../ops/console-data.ts';

interface Parts extends Omit<ConsoleParts, 'settings' | 'advice'> {
  readonly settings: readonly SettingInForce[];
  /** All data that is stored about a caller. Null if there is none. */
  readonly consumer: (id: string) => Promise<object | null>;
  readonly clock: Clock;
  readonly log: Log;
}

export type OpsConfig = Pick<Config, 'opsHost' | 'opsPort' | 'opsToken' | 'console'>;

/** The console: the files and data that the ops port serves besides health and metrics, by path. */
export interface Console {
  readonly handlers: Readonly<Record<string, PublicHandler>>;
  stop(): void;
}

const off: Console = { handlers: {}, stop: () => {} };

export async function startConsole(config: OpsConfig, { consumer, log, ...parts }: Parts): Promise<Console> {
  const { opsHost: host, opsToken: token } = config;
  if (config.console === 'off') return off;
  if (!isConsoleReachable({ host, token })) {
    log.info({ ops_host: host }, 'the console is off: OPS_HOST is not loopback, and OPS_TOKEN is not set');
    return off;
  }
  const access = createConsoleAccess({ host, token });
  const data = new ConsoleData({ ...parts, advice: readAdvice() });
  await data.start();
  const files = findBuiltFiles('console');
  return {
    handlers: {
      '/': access.page(files === null ? notBuilt : page(files.page)),
      ...Object.fromEntries(
        files?.assets.map((file) => [`/console/${file.name}`, access.page(asset(file))]) ?? [],
      ),
      '/console/data': access.data(async () => jsonText(await data.text())),
      '/console/consumers/:id': access.data(async ({ params }) => {
        const held = await consumer(String(params.id));
        return held === null ? json({ status: 'not_found' }, { status: 404 }) : json(held);
      }),
    },
    stop: () => data.stop(),
  };
}

const notBuilt: PublicHandler = () =>
  answer('text/plain; charset=utf-8', 'The console is not built. Build it with: npm ci && npm run build\n', {
    status: 503,
  });

/** The advice of docs/operations.md for each alert. Links to a part of a document become its path. */
function readAdvice(): Readonly<Record<string, string>> {
  try {
    const text = readFileSync(new URL('../../docs/operations.md', import.meta.url), 'utf8');
    const rows = text.matchAll(/^\| `(Vestibule\w+)` \| (.+) \|$/gm);
    return Object.fromEntries(Array.from(rows, ([, name = '', advice = '']) => [name, withoutLinks(advice)]));
  } catch {
    // A package may leave out the documents.
    return {};
  }
}

function withoutLinks(markdown: string): string {
  return markdown.replace(/\[([^\]]*)\]\(([^)]*)\)/g, (_, text: string, target: string) => {
    return `${text} (docs/${target.startsWith('#') ? `operations.md${target}` : target})`;
  });
}
