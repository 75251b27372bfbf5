import { writeHeapSnapshot } from 'node:v8';
import { startApp } from '../../src/app.ts';
import { runUntilSignal } from '../../src/cli/serve.ts';
import { loadConfig } from '../../src/config/load.ts';
import { MovableClock } from './movable-clock.ts';

/** `vestibule serve` in every part but one: its clock is moved by the messages of the test that started it. */
export type ClockMessage =
  | { readonly advanceMs: number }
  | { readonly stepWallClockMs: number }
  | { readonly holdWallClock: boolean }
  | { readonly holdTime: true }
  /** All that is in the heap is written to this file. */
  | { readonly heapFile: string };

const clock = new MovableClock();
clock.advance(Number(process.env.TEST_CLOCK_AHEAD_MS ?? 0));
process.on('message', (message: ClockMessage) => {
  if ('advanceMs' in message) clock.advance(message.advanceMs);
  else if ('stepWallClockMs' in message) clock.stepWallClock(message.stepWallClockMs);
  else if ('holdWallClock' in message) clock.holdWallClock(message.holdWallClock);
  else if ('holdTime' in message) clock.holdTime();
  else writeHeapSnapshot(message.heapFile);
  process.send?.('moved');
});
await runUntilSignal(() => loadConfig(process.env).then((config) => startApp(config, { clock })));
