import type { Outcome } from './outcome.ts';

/**
 * Runs commands of the command line one after the other, as `vestibule` would in a process for each: most of such a
 * process goes into loading. `main` is evaluated anew for every command; what it imports is loaded once.
 */
export interface CommandMessage {
  readonly settings: Readonly<Record<string, string>>;
  readonly parameters: readonly string[];
  /** Where it runs; in the folder of the project unless this says otherwise. */
  readonly folder?: string;
}

const given = { ...process.env };
const project = process.cwd();
const streams = ['stdout', 'stderr'] as const;
// Node opens them when they are first asked for, and then they count as resources.
for (const name of streams) process[name].writable;
let commands = 0;

process.on('message', async ({ settings, parameters, folder = project }: CommandMessage) => {
  process.chdir(folder);
  for (const name of Object.keys(process.env)) delete process.env[name];
  Object.assign(process.env, given, settings);
  process.argv = [process.execPath, 'bin/vestibule.js', ...parameters];
  process.exitCode = undefined;
  const before = countResources();
  const outcome = await captured(async () => {
    commands += 1;
    await import(`../../../src/main.ts?${commands}`);
    await nothingLeft(before);
  });
  process.send?.(outcome satisfies Outcome);
});
// With the test that it belongs to.
process.on('disconnect', () => process.exit());

async function captured(run: () => Promise<void>): Promise<Outcome> {
  const texts = { stdout: '', stderr: '' };
  const original = streams.map((name) => process[name].write);
  for (const name of streams) {
    process[name].write = (text: string | Uint8Array) => {
      texts[name] += text;
      return true;
    };
  }
  try {
    await run();
  } finally {
    streams.forEach((name, index) => {
      process[name].write = original[index] as typeof process.stdout.write;
    });
  }
  return { ...texts, code: Number(process.exitCode ?? 0) };
}

/** A process of its own would end now only if nothing kept it: a connection or timer left behind is a fault. */
async function nothingLeft(before: number): Promise<void> {
  const deadline = performance.now() + 5_000;
  while (countResources() > before) {
    if (performance.now() > deadline) {
      process.stderr.write(`The command does not end: ${process.getActiveResourcesInfo().join(', ')}\n`);
      process.exitCode = 1;
      return;
    }
    await new Promise((resolve) => setTimeout(resolve, 2).unref());
  }
}

function countResources(): number {
  return process.getActiveResourcesInfo().filter((kind) => kind !== 'Immediate').length;
}
