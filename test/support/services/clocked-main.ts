import { writeHeapSnapshot } from 'node:v8';
import { runUntilSignal } from '../../../src/cli/serve.ts';
import { startApp } from '../../../src/compose/app.ts';
import { loadConfig } from '../../../src/config/load.ts';
import { type ClockChange, MovableClock } from './movable-clock.ts';

/** `vestibule serve` with a clock that the test moves by messages. */
export type ClockMessage = ClockChange | { readonly heapFile: string };

const clock = new MovableClock();
clock.advance(Number(process.env.TEST_CLOCK_AHEAD_MS ?? 0));
process.on('message', (message: ClockMessage) => {
  if ('heapFile' in message) writeHeapSnapshot(message.heapFile);
  else clock.change(message);
  process.send?.('moved');
});
await runUntilSignal(() =>
  loadConfig(process.env).then((config) => startApp(config, { clock, areRulesStrict: true })),
);
