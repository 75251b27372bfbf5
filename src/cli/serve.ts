import type { Command } from 'commander';
import type { App } from '../app.ts';
import { errorFields } from '../base/log.ts';
import { type Environment, loadConfig } from '../config/load.ts';
import type { Config } from '../config/settings.ts';

/** `vestibule serve`: the service. */
export function addTo(program: Command, environment: () => Environment): void {
  program
    .command('serve')
    .description('run the service until SIGTERM or SIGINT')
    .action(() => runUntilSignal(() => startService(loadConfig(environment()))));
}

/** The app is loaded once the settings are right: a mistake in them is said at once. */
export async function startService(config: Config): Promise<App> {
  const { startApp } = await import('../app.ts');
  return startApp(config);
}

/** Runs until SIGTERM or SIGINT, then stops in order. A second one changes nothing: the deadline is near. SIGHUP reads certificates again. */
export async function runUntilSignal(
  start: () => Promise<Pick<App, 'log' | 'stop' | 'reload'>>,
): Promise<void> {
  const signalled = Promise.withResolvers<void>();
  process.on('SIGTERM', signalled.resolve);
  process.on('SIGINT', signalled.resolve);
  const { log, stop, reload } = await start();
  process.on('SIGHUP', reload);
  // A bug nobody caught leaves a state nobody knows: say so once, without the payload, and let a fresh process start.
  const crash = (error: unknown) => {
    log.fatal(errorFields(error), 'unexpected error, exiting');
    process.exit(1);
  };
  process.on('uncaughtException', crash);
  process.on('unhandledRejection', crash);
  await signalled.promise;
  log.info('stopping');
  await stop();
  log.info('stopped');
  // Nothing of ours is left to wait for, and an idle connection to the provider must not keep the process.
  process.exit(0);
}
