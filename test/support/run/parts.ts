import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Runtimes } from '../packages/runtimes.ts';
import type { SharedProviders } from '../tokens/shared-providers.ts';
import { freePort } from './ports.ts';

/** Slow parts that all test files share, with the data that the files get. */
export interface Parts {
  readonly postgres: { readonly url: string };
  /** A PgBouncer in front of it. */
  readonly pooler: { readonly port: number };
  readonly providers: SharedProviders;
  /** A browser that other processes connect to. */
  readonly chromium: { readonly url: string };
  /** The service, bundled from the current src. */
  readonly program: { readonly folder: string };
  /** The frontend, built from the current web/src. */
  readonly frontend: Readonly<Record<string, never>>;
  /** A copy of the project in which `npm run pack` has been run, and where it has left the tarballs. */
  readonly packages: { readonly project: string; readonly tarballs: string };
  /** The oldest Node.js that the service has to run on: the folder of its program. */
  readonly oldestNode: { readonly folder: string };
  /** What the client and the verifier run on. */
  readonly runtimes: Runtimes;
  /** A folder in which both packages are installed from their tarballs, beside the frameworks. */
  readonly installed: { readonly folder: string };
}

interface PartsOptions {
  readonly nextFile?: () => string | null;
  /** PostgreSQL or the browser cannot start: the fault is not in the code, and most tests cannot pass. */
  readonly onFailure?: (reason: string) => void;
  readonly onStart?: (name: string, starting: Promise<unknown>) => void;
  /**
   * Whether PostgreSQL waits for the disk. The tests do not need it: nothing there has to outlive the machine, and a
   * process that is killed loses nothing by it. What measures does.
   */
  readonly isDurable?: boolean;
}

type Get = <Name extends keyof Parts>(name: Name) => Promise<Parts[Name]>;
type Start<Value> = (
  later: AsyncDisposableStack,
  directory: string,
  isDurable: boolean,
  get: Get,
) => Promise<Value>;

/** Each part imports its modules when it starts, so that other runs do not load them. */
const starts: { readonly [Name in keyof Parts]: Start<Parts[Name]> } = {
  async postgres(later, directory, isDurable) {
    const { startPostgres } = await import('../databases/postgres.ts');
    // A vacuum that the server begins by itself, in hundreds of databases, takes time from the tests.
    const flags = isDurable ? [] : ['-c', 'fsync=off', '-c', 'autovacuum=off'];
    const { url, stop } = await startPostgres(`${directory}/postgres`, await freePort(), flags);
    later.defer(stop);
    return { url };
  },
  async pooler(later, directory, _isDurable, get) {
    const { startPooler } = await import('../databases/pooler.ts');
    const { url } = await get('postgres');
    const { port, stop } = await startPooler(`${directory}/pooler`, new URL(url));
    later.defer(stop);
    return { port };
  },
  async providers(later) {
    const { startSharedProviders } = await import('../tokens/shared-providers.ts');
    const { stop, ...providers } = await startSharedProviders();
    later.defer(stop);
    return providers;
  },
  async chromium(later) {
    const { startChromium } = await import('../browser/chromium.ts');
    const { url, stop } = await startChromium();
    later.defer(stop);
    return { url };
  },
  async program(_later, directory) {
    const { buildProgram } = await import('./program.ts');
    const folder = `${directory}-cache/program`;
    await buildProgram(folder);
    return { folder };
  },
  async frontend() {
    await import('../../../web/build.ts');
    return {};
  },
  async packages(later) {
    const { packProject } = await import('../packages/packages.ts');
    // Not with what the run leaves, which is searched for tokens: README.md shows one.
    const folder = mkdtempSync(join(tmpdir(), 'vestibule-packed-'));
    later.defer(async () => rmSync(folder, { recursive: true, force: true }));
    return packProject(folder);
  },
  async oldestNode(_later, directory) {
    const { installProgram } = await import('../packages/packages.ts');
    const name = `node-${process.platform}-${process.arch}`;
    return { folder: `${await installProgram(name, 24, `${directory}-cache`)}/bin` };
  },
  async runtimes(_later, directory, _isDurable, get) {
    const { installRuntimes } = await import('../packages/runtimes.ts');
    // It installs the same Node.js.
    await get('oldestNode');
    return installRuntimes(`${directory}-cache`);
  },
  async installed(later, _directory, _isDurable, get) {
    const { installPackages } = await import('../packages/installed-packages.ts');
    const { tarballs } = await get('packages');
    const folder = mkdtempSync(join(tmpdir(), 'vestibule-installed-'));
    later.defer(async () => rmSync(folder, { recursive: true, force: true }));
    return { folder: await installPackages(folder, tarballs) };
  },
};

/**
 * Starts a part when a test file first asks for it: GET /<name> answers once it has started. GET /next-file gives out
 * the test files.
 */
export async function startParts(directory: string, options: PartsOptions = {}) {
  const { nextFile = () => null, onFailure = () => {}, onStart = () => {}, isDurable = false } = options;
  const later = new AsyncDisposableStack();
  const started = new Map<string, Promise<unknown>>();
  const get = async (name: string): Promise<unknown> => {
    if (name === 'next-file') return nextFile();
    const start = starts[name as keyof Parts];
    if (start === undefined) throw new Error(`There is no part "${name}".`);
    const known = started.get(name);
    if (known !== undefined) return known;
    const starting = start(later, directory, isDurable, get as Get);
    started.set(name, starting);
    onStart(name, starting);
    return starting;
  };
  const server = createServer((request, response) => {
    // One that is kept could be closed by us at the very moment it is used again.
    response.setHeader('connection', 'close');
    get(String(request.url).slice(1)).then(
      (value) => response.end(JSON.stringify(value)),
      (error: unknown) => {
        const reason = error instanceof Error ? error.message : `The part ${request.url} failed: ${error}`;
        response.writeHead(500).end(reason);
        if (['/postgres', '/chromium'].includes(String(request.url))) onFailure(reason);
      },
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
