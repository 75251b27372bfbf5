import { execFile } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Programs that tests drive and npm does not bring: the names they go by, and Debian's package where it has another name. */
const programs = {
  chromium: {
    names: ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable', 'chrome'],
    elsewhere: [
      '/Applications/Chromium.app/Contents/MacOS/Chromium',
      '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
    ],
  },
  nginx: { names: ['nginx'], elsewhere: [] },
  haproxy: { names: ['haproxy'], elsewhere: [] },
  caddy: { names: ['caddy'], elsewhere: [] },
  pgbouncer: { names: ['pgbouncer'], elsewhere: [] },
  prometheus: { names: ['prometheus'], elsewhere: [] },
  promtool: { names: ['promtool'], elsewhere: [], package: 'prometheus' },
  strace: { names: ['strace'], elsewhere: [] },
  podman: { names: ['podman'], elsewhere: [], package: 'podman runc' },
  mmdebstrap: { names: ['mmdebstrap'], elsewhere: [] },
  'systemd-analyze': { names: ['systemd-analyze'], elsewhere: [], package: 'systemd' },
} as const;

type Program = keyof typeof programs;

/** Folders of servers, which are not on every PATH. */
const usualFolders = ['/usr/local/bin', '/usr/bin', '/usr/sbin', '/snap/bin'];

/** The path of a program that is on this machine. On Debian, as root, it is installed when it is not. */
export async function findProgram(name: Program): Promise<string> {
  const found = look(name);
  if (found !== null) return found;
  const failure = await install(name);
  const installed = look(name);
  if (installed !== null) return installed;
  throw new Error(
    `This test needs ${name}. Install it, for example: apt-get install ${packageOf(name)}${failure}`,
  );
}

function packageOf(name: Program): string {
  const program = programs[name];
  return 'package' in program ? program.package : name;
}

function look(name: Program): string | null {
  const folders = [...(process.env.PATH ?? '').split(':'), ...usualFolders].filter((folder) => folder !== '');
  const { names, elsewhere } = programs[name];
  const paths = [...names.flatMap((one) => folders.map((folder) => join(folder, one))), ...elsewhere];
  return paths.find(isExecutable) ?? null;
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** The reason of a failure, or nothing. Test files run side by side, so `flock` lets one install at a time; apt-get waits a minute for others. */
function install(name: Program): Promise<string> {
  if (process.getuid?.() !== 0 || !isExecutable('/usr/bin/apt-get')) return Promise.resolve('');
  const lock = join(tmpdir(), 'vestibule-install.lock');
  const steps = `command -v ${name} || { apt-get update -qq && apt-get install -o DPkg::Lock::Timeout=60 -y -qq --no-install-recommends ${packageOf(name)}; }`;
  const environment = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  const { promise, resolve } = Promise.withResolvers<string>();
  execFile('flock', [lock, 'sh', '-c', steps], { env: environment }, (error, _stdout, stderr) =>
    resolve(error === null ? '' : `\nIt was tried, and failed: ${stderr.trim() || error.message}`),
  );
  return promise;
}
