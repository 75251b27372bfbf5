import { mkdirSync, readdirSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { succeeded } from '../support/commands/outcome.ts';
import { until } from '../support/run/polling.ts';
import { declarationsFolder } from '../support/services/declarations.ts';
import {
  addClient,
  type DatabaseEngine,
  newSettings,
  runVestibule,
  type Service,
  type Settings,
  startService,
} from '../support/services/service.ts';
import { makeKey, TestProvider } from '../support/tokens/provider.ts';
import { Load } from './load.ts';
import { lookAt, type Sample } from './samples.ts';

export interface SoakOptions {
  readonly database: DatabaseEngine;
  readonly seconds: number;
  readonly perSecond: number;
  readonly everySeconds: number;
  readonly seed: number;
  /** Settings of the service, and of what it runs on. */
  readonly overrides?: Settings;
  readonly onSample?: (sample: Sample) => void;
}

export interface SoakResult {
  readonly samples: readonly Sample[];
  readonly answers: ReadonlyMap<string, number>;
  /** Lines of the log that are warnings or worse, by their text. */
  readonly warnings: ReadonlyMap<string, number>;
}

const notes = `
schema: { required: [text], properties: { text: { type: string, maxLength: 280 } } }
events: full
limits: { per_user: 1000, writes: 100000/min }`;

/** How often the provider goes away for a second, and how often it and the service have another key. */
const restartEverySeconds = 20;
const rotateEverySeconds = 60;
const warning = 40;

/** A mixed load at a steady pace, with bad input, a provider that restarts, and keys that change. */
export async function soak(options: SoakOptions): Promise<SoakResult> {
  const provider = await TestProvider.start();
  const settings = await newSettings(options.database, {
    ...provider.settings,
    COLLECTIONS_DIR: declarationsFolder({ notes }),
    LOG_LEVEL: 'warn',
    NEWCOMERS_PER_HOUR: '0',
    READS_PER_MINUTE: '1000000',
    REFUSALS_PER_MINUTE: '1000000',
    NODE_OPTIONS: '--import ./test/soak/memory-report.ts',
    ...options.overrides,
  });
  const secret = await addClient({ ...settings, NODE_OPTIONS: '' }, 'machine');
  const memoryFolder = `${settings.TEST_DIRECTORY}/memory`;
  mkdirSync(memoryFolder);
  // A service that says nothing below a warning does not say where it listens.
  const service = await startService({ ...settings, LOG_LEVEL: 'info', TEST_MEMORY_FOLDER: memoryFolder });
  const load = new Load(service.url, provider, { id: 'machine', secret }, options.seed);
  const samples: Sample[] = [];
  const startedAt = performance.now();
  const running = load.run(options.perSecond);
  try {
    await until(
      () => readdirSync(memoryFolder).length,
      (count) => count > 0,
      'it does not say what memory it has',
    );
    for (let second = 1; second <= options.seconds; second += 1) {
      await pause(Math.max(startedAt + second * 1_000 - performance.now(), 0));
      await disturb(second, provider, settings);
      if (second % options.everySeconds !== 0) continue;
      const sample = lookAt(Number(service.process.pid), memoryFolder, second / 60);
      samples.push(sample);
      options.onSample?.(sample);
    }
  } finally {
    load.stop();
    await running;
    await service.stop();
    await provider.stop();
  }
  return { samples, answers: load.answers, warnings: warningsOf(service) };
}

async function disturb(second: number, provider: TestProvider, settings: Settings): Promise<void> {
  if (second % restartEverySeconds === 0) await provider.stop();
  if (second % restartEverySeconds === 1 && second > 1) await provider.comeBack();
  if (second % rotateEverySeconds !== rotateEverySeconds / 2) return;
  // The old one stays for a while, as it should.
  provider.keys = [await makeKey(), ...provider.keys.slice(0, 1)];
  succeeded(await runVestibule({ ...settings, NODE_OPTIONS: '' }, 'keys', 'rotate', '--now'));
}

function warningsOf(service: Service): Map<string, number> {
  const lines = service.logLines().filter(({ level }) => Number(level) >= warning);
  return new Map(
    [...Map.groupBy(lines, ({ msg, code }) => `${msg} ${code ?? ''}`.trim())].map(([text, all]) => [
      text,
      all.length,
    ]),
  );
}
