import { setTimeout as pause } from 'node:timers/promises';
import { succeeded } from '../support/commands/outcome.ts';
import { type DatabaseEngine, runVestibule, type Settings } from '../support/services/service.ts';
import { makeKey } from '../support/tokens/provider.ts';
import { lookAt, type Sample } from './samples.ts';
import { runStrangers } from './strangers.ts';
import { World } from './world.ts';

interface SoakOptions {
  readonly database: DatabaseEngine;
  readonly seconds: number;
  readonly perSecond: number;
  readonly everySeconds: number;
  readonly seed: number;
  /** Settings of the service, and of what it runs on. */
  readonly settings?: Settings;
  readonly onSample?: (sample: Sample) => void;
}

const people = 20;
/** About a fifth of all callers. */
const strangers = 24;
/** How often the provider goes away for a second, and how often it and the service have another key. */
const restartEverySeconds = 20;
const rotateEverySeconds = 60;
const warning = 40;

/** A mixed load at a steady pace, with bad input, a provider that restarts, and keys that change. */
export async function soak(options: SoakOptions) {
  const { database, seed, seconds, perSecond, everySeconds, settings = {}, onSample } = options;
  const world = await World.start({ database, processes: 1, seed, settings });
  const { tally } = world;
  const service = world.processes.at(0);
  const samples: Sample[] = [];
  try {
    await world.addPeople(people);
    const round = world.newRound(perSecond);
    const outside = Array.from({ length: strangers }, () => runStrangers(world, round));
    const working = Promise.all([world.run(round), ...outside]);
    const startedAt = performance.now();
    for (let second = 1; second <= seconds; second += 1) {
      await pause(Math.max(startedAt + second * 1_000 - performance.now(), 0));
      await disturb(second, world);
      if (second % everySeconds !== 0) continue;
      const sample = await lookAt(service, second / 60);
      samples.push(sample);
      onSample?.(sample);
    }
    round.isOver = true;
    await working;
    await world.check('all');
  } finally {
    await world.stop();
  }
  const lines = service.logLines().filter(({ level }) => Number(level) >= warning);
  const texts = Map.groupBy(lines, ({ msg, code }) => `${msg} ${code ?? ''}`.trim());
  // Lines of the log that are warnings or worse, by their text.
  return { tally, samples, warnings: new Map([...texts].map(([text, all]) => [text, all.length])) };
}

async function disturb(second: number, { provider, settings }: World): Promise<void> {
  if (second % restartEverySeconds === 0) await provider.stop();
  if (second % restartEverySeconds === 1 && second > 1) await provider.comeBack();
  if (second % rotateEverySeconds !== rotateEverySeconds / 2) return;
  // The old one stays for a while, as it should.
  provider.keys = [await makeKey(), ...provider.keys.slice(0, 1)];
  succeeded(await runVestibule(settings, 'keys', 'rotate', '--now'));
}
