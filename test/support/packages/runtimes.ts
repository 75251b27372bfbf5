import { installProgram } from './packages.ts';

/** How `fork` starts a program with a runtime. */
export interface Runtime {
  readonly execPath: string;
  readonly execArgv: string[];
}

const { platform, arch } = process;
const [bunArch, denoLibrary] = [arch === 'arm64' ? 'aarch64' : arch, platform === 'linux' ? '-glibc' : ''];

/** The runtimes of the packages besides the Node.js of the tests: the npm package with the program for this machine. */
const programs = {
  'Node.js 20': { name: `node-${platform}-${arch}`, version: 20, path: 'bin/node', execArgv: [] },
  'Node.js 24': { name: `node-${platform}-${arch}`, version: 24, path: 'bin/node', execArgv: [] },
  Bun: { name: `@oven/bun-${platform}-${bunArch}`, version: 1, path: 'bin/bun', execArgv: [] },
  Deno: {
    name: `@deno/${platform}-${arch}${denoLibrary}`,
    version: 2,
    path: 'deno',
    execArgv: ['run', '--allow-all'],
  },
} as const;

export type RuntimeName = keyof typeof programs | 'Node.js 26';
export type Runtimes = Readonly<Record<RuntimeName, Runtime>>;

export async function installRuntimes(cacheFolder: string): Promise<Runtimes> {
  const found: Partial<Record<RuntimeName, Runtime>> = {
    'Node.js 26': { execPath: process.execPath, execArgv: [] },
  };
  for (const [runtime, { name, version, path, execArgv }] of Object.entries(programs)) {
    const folder = await installProgram(name, version, cacheFolder);
    found[runtime as RuntimeName] = { execPath: `${folder}/${path}`, execArgv: [...execArgv] };
  }
  return found as Runtimes;
}
