import { closeSync, openSync, writeSync } from 'node:fs';
import { LogOutput } from '../../../src/base/log.ts';
import { type App, startApp } from '../../../src/compose/app.ts';
import { loadConfig, settingsInForce } from '../../../src/config/load.ts';
import { type Release, releases } from '../databases/future-steps.ts';
import { type ClockChange, MovableClock } from './movable-clock.ts';

/**
 * Runs services for the tests of one worker: to start one in a process that has loaded everything takes a fifth of what a
 * process of its own takes. A service here differs from `vestibule serve` in its clock, its log file and its signals.
 */
export type HostRequest = { readonly id: number } & (
  | {
      readonly start: Readonly<Record<string, string>>;
      readonly logFile: string;
      readonly aheadMs: number;
      /** Another release: all that differs is which steps of the schema it knows. */
      readonly release?: Release | undefined;
    }
  | { readonly service: number; readonly clock: ClockChange }
  | { readonly service: number; readonly stop: true }
);

export type HostReply = { readonly id: number } & Partial<Record<'error' | 'address' | 'opsAddress', string>>;

interface Hosted {
  readonly app: App;
  readonly clock: MovableClock;
  /** Writes the last lines of the log and closes it. */
  close(): void;
}

const services = new Map<number, Hosted>();

process.on('message', (request: HostRequest) => {
  void handle(request).then(
    (reply) => process.send?.({ id: request.id, ...reply }),
    (error: Error) => process.send?.({ id: request.id, error: error.message }),
  );
});
process.on('disconnect', () => process.exit());

async function handle(request: HostRequest): Promise<Omit<HostReply, 'id'>> {
  if ('start' in request) return start(request);
  const hosted = services.get(request.service);
  if (hosted === undefined) throw new Error(`There is no service ${request.service}.`);
  if ('clock' in request) hosted.clock.change(request.clock);
  else await stop(request.service, hosted);
  return {};
}

async function start(request: Extract<HostRequest, { start: unknown }>): Promise<Omit<HostReply, 'id'>> {
  const clock = new MovableClock();
  clock.advance(request.aheadMs);
  const file = openSync(request.logFile, 'a');
  let isOpen = true;
  // Once the file is closed, its number may be that of a database.
  const output = new LogOutput((bytes) => (isOpen ? writeSync(file, bytes) : bytes.length));
  const close = () => {
    output.flush();
    isOpen = false;
    closeSync(file);
  };
  try {
    const config = await loadConfig({ PATH: process.env.PATH, ...request.start });
    const settings = settingsInForce(request.start);
    const steps = request.release && { steps: releases[request.release] };
    const app = await startApp(config, {
      clock,
      logOutput: output,
      settings,
      areRulesStrict: true,
      ...steps,
    });
    output.flush();
    services.set(request.id, { app, clock, close });
    return { address: app.address, opsAddress: app.opsAddress };
  } catch (error) {
    close();
    throw error;
  }
}

async function stop(id: number, { app, clock, close }: Hosted): Promise<void> {
  services.delete(id);
  clock.holdTime(false);
  app.log.info('stopping');
  await app.stop();
  app.log.info('stopped');
  close();
}
