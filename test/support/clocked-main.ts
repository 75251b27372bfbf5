import { writeHeapSnapshot } from 'node:v8';
import { startApp } from '../../src/app.ts';
import { runUntilSignal } from '../../src/cli/serve.ts';
import { loadConfig } from '../../src/config/load.ts';
import { type ClockChange, MovableClock } from './movable-clock.ts';

/** `vestibule serve` in every part but one: its clock is moved by the messages of the test that started it. */
export type ClockMessage = ClockChange | { readonly heapFile: string };

const clock = new MovableClock();
clock.advance(Number(process.env.TEST_CLOCK_AHEAD_MS ?? 0));
process.on('message', (message: ClockMessage) => {
  if ('heapFile' in message) writeHeapSnapshot(message.heapFile);
  else clock.change(message);
  process.send?.('moved');
});
await runUntilSignal(() => loadConfig(process.env).then((config) => startApp(config, { clock })));
