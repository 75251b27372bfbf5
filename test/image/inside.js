// Runs in a container, by the Node.js there, and prints what it sees. `--user 0` may run it, which has no more capabilities.
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const notLooked = ['/proc', '/sys', '/dev', '/tmp', '/opt', '/var/lib/vestibule'];

/** Programs that anyone could start: files with an execute bit that are neither libraries nor scripts of packages. */
function programs(folder) {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return notLooked.includes(path) ? [] : programs(path);
    const isProgram = entry.isFile() && (statSync(path).mode & 0o111) !== 0 && !/\.so\b/.test(entry.name);
    return isProgram ? [path] : [];
  });
}

/** Why a file cannot be written, or "written". */
function attempt(path) {
  try {
    writeFileSync(path, '');
    return 'written';
  } catch ({ code }) {
    return code;
  }
}

const { packages } = JSON.parse(readFileSync('/opt/vestibule/node_modules/.package-lock.json', 'utf8'));
const lines = readFileSync('/proc/1/status', 'utf8').split('\n');
const { uid, gid, mode } = statSync('/var/lib/vestibule');
process.stdout.write(
  JSON.stringify({
    // Of the service, which is process 1.
    status: Object.fromEntries(lines.map((line) => line.split(/:\s+/))),
    versions: Object.fromEntries(Object.entries(packages).map(([path, { version }]) => [path, version])),
    programs: programs('/'),
    writes: ['/', '/usr/local/bin', '/opt/vestibule', '/etc'].map((folder) => attempt(join(folder, 'probe'))),
    volume: `${uid}:${gid} ${(mode & 0o777).toString(8)}`,
  }),
);
