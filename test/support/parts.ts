import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { freePort } from './ports.ts';
import type { SharedProviders } from './shared-providers.ts';

/** What is slow to start, so that all test files share it, and what they are told of it. */
export interface Parts {
  readonly postgres: { readonly url: string };
  readonly providers: SharedProviders;
  /** What is tested in a browser is what stands in web/src now. */
  readonly frontend: Readonly<Record<string, never>>;
}

interface PartsOptions {
  readonly nextFile?: () => string | null;
  /**
   * Whether PostgreSQL waits for the disk. The tests do not need it: nothing there has to outlive the machine, and a
   * process that is killed loses nothing by it. What measures does.
   */
  readonly isDurable?: boolean;
}

type Start<Value> = (later: AsyncDisposableStack, directory: string, isDurable: boolean) => Promise<Value>;

/** Each imports what it needs when it starts: a run that does not ask for it does not load it either. */
const starts: { readonly [Name in keyof Parts]: Start<Parts[Name]> } = {
  async postgres(later, directory, isDurable) {
    const { startPostgres } = await import('./postgres.ts');
    const flags = isDurable ? [] : ['-c', 'fsync=off'];
    const { url, stop } = await startPostgres(`${directory}/postgres`, await freePort(), flags);
    later.defer(stop);
    return { url };
  },
  async providers(later) {
    const { startSharedProviders } = await import('./shared-providers.ts');
    const { stop, ...providers } = await startSharedProviders();
    later.defer(stop);
    return providers;
  },
  async frontend() {
    await import('../../web/build.ts');
    return {};
  },
};

/**
 * Starts a part when a test file first asks for it: GET /<name> answers once it has started. GET /next-file gives out
 * the test files.
 */
export async function startParts(directory: string, options: PartsOptions = {}) {
  const { nextFile = () => null, isDurable = false } = options;
  const later = new AsyncDisposableStack();
  const started = new Map<string, Promise<unknown>>();
  const get = async (name: string): Promise<unknown> => {
    if (name === 'next-file') return nextFile();
    const start = starts[name as keyof Parts];
    if (start === undefined) throw new Error(`There is no part "${name}".`);
    const known = started.get(name) ?? start(later, directory, isDurable);
    started.set(name, known);
    return known;
  };
  const server = createServer((request, response) => {
    // One that is kept could be closed by us at the very moment it is used again.
    response.setHeader('connection', 'close');
    get(String(request.url).slice(1)).then(
      (value) => response.end(JSON.stringify(value)),
      (error: Error) => response.writeHead(500).end(error.message),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async stop() {
      server.closeAllConnections();
      server.close();
      await later.disposeAsync();
    },
  };
}
