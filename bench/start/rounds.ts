import { execFileSync } from 'node:child_process';
import { globSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { bearer } from '../shared/ask.ts';
import { cpuSeconds, cpuSecondsOfChildren } from '../shared/counters.ts';
import { shown, table } from '../shared/markdown.ts';
import { allCores, type Program, run, script } from '../shared/processes.ts';
import { answers, startReady } from '../shared/ready.ts';
import { writeFigures, writeResult } from '../shared/report.ts';
import { mePath, type Stage, type Surroundings, surroundingsFor } from '../shared/stage.ts';
import { type Middles, middles } from '../shared/statistics.ts';
import { vestibule } from '../shared/vestibule.ts';

const root = join(import.meta.dirname, '../..');
const peers = join(import.meta.dirname, '../me/peers');
/** After a first start, which makes the database and fills the compile cache. */
const starts = 7;

interface Start {
  readonly wallMs: number;
  readonly cpuMs: number;
}

type Measure = () => Promise<Start>;

/** From exec to the first 200, or to the end of `--help`: the median of second starts, all in turn, on all cores. */
export async function measureStart(stage: Stage): Promise<string> {
  const { options, say } = stage;
  const measures: Readonly<Record<string, Measure>> = {
    'Vestibule, from the clone': await serve(join(root, 'bin/vestibule.js'), stage),
    'Vestibule, from the package': await serve(installPackage(stage), stage),
    '`vestibule --help`, from the clone': help,
    'node:http, bare': await peer('bare.ts', stage),
    'Fastify + aws-jwt-verify': await peer('fastify-aws-jwt-verify.ts', stage),
  };
  const taken = new Map<string, Start[]>(Object.keys(measures).map((name) => [name, []]));
  const count = options.partial ? 1 : starts;
  for (let round = 0; round <= count; round++)
    for (const [name, measure] of Object.entries(measures)) {
      const start = await measure();
      if (round > 0) taken.get(name)?.push(start);
      say(`${name.padEnd(36)} ${start.wallMs.toFixed(0)} ms, CPU ${start.cpuMs.toFixed(0)} ms`);
    }
  const rows = [...taken].map(([name, all]) => ({ name, ...middles(all) }));
  writeFigures('start', stage, { starts: count }, { rows });
  const text = `${tableOf(rows)}\nMedian of ${count} second start(s); start.json names the machine.\n`;
  writeResult('start.md', stage, text);
  return text;
}

function tableOf(rows: readonly ({ readonly name: string } & Middles<Start>)[]): string {
  const heading = 'From exec to the first 200 (`/readyz`, or a good token), SQLite';
  const cells = rows.map(({ name, wallMs, cpuMs }) => [name, shown(wallMs.value), shown(cpuMs.value)]);
  return table(heading, ['ms', 'CPU ms'], cells);
}

/** `npm run pack`, and its tarball in a folder of its own. */
function installPackage({ folder }: Stage): string {
  const installed = join(folder, 'installed');
  mkdirSync(installed);
  writeFileSync(join(installed, 'package.json'), '{}\n');
  execFileSync('npm', ['run', '--silent', 'pack'], { cwd: root, stdio: 'ignore' });
  const [tarball = ''] = globSync(join(root, 'dist/vestibule-server-*.tgz'));
  execFileSync('npm', ['install', '--ignore-scripts', '--no-audit', '--no-fund', tarball], {
    cwd: installed,
    stdio: 'ignore',
  });
  return join(installed, 'node_modules/@vestibule/server/bin/vestibule.js');
}

async function serve(file: string, stage: Stage): Promise<Measure> {
  const surroundings = await surroundingsFor('vestibule', stage);
  const program = { ...vestibule(surroundings, 'warn'), parameters: [file, 'serve'] };
  const isReady = answers(`http://127.0.0.1:${surroundings.opsPort}/readyz`);
  return () => start(program, surroundings, isReady);
}

async function peer(file: string, stage: Stage): Promise<Measure> {
  const surroundings = await surroundingsFor('peer', stage);
  const given = { ...surroundings, path: mePath, answer: { headers: {}, body: '{}' } };
  const url = `http://127.0.0.1:${surroundings.port}${mePath}`;
  const isReady = answers(url, bearer(stage.goodToken));
  return () => start(script(join(peers, file), given), surroundings, isReady);
}

async function start(
  program: Program,
  { folder }: Surroundings,
  isReady: () => Promise<boolean>,
): Promise<Start> {
  const startedAt = performance.now();
  const server = await startReady('the server', program, folder, isReady, allCores);
  const wallMs = performance.now() - startedAt;
  const cpuMs = cpuSeconds(server.pid) * 1000;
  await server.stop();
  return { wallMs, cpuMs };
}

async function help(): Promise<Start> {
  const before = cpuSecondsOfChildren();
  const startedAt = performance.now();
  const parameters = [join(root, 'bin/vestibule.js'), '--help'];
  await run({ command: process.execPath, parameters, environment: {} }, 20);
  const wallMs = performance.now() - startedAt;
  return { wallMs, cpuMs: (cpuSecondsOfChildren() - before) * 1000 };
}
