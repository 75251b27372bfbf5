import cluster from 'node:cluster';
import type { Command } from 'commander';
import { errorFields } from '../base/plain-log.ts';
import type { App } from '../compose/app.ts';
import { processCount } from '../config/kinds.ts';
import { type Environment, loadConfig, settingsInForce } from '../config/load.ts';
import { optionOf } from './options.ts';
import type { CommandSettings } from './settings.ts';

export const allowBreakingOption = [
  '--allow-breaking-schemas',
  'start even if stored records do not fit the declarations; they can be read, and a change must make them fit',
] as const;

interface ServeOptions {
  readonly processes: number;
  readonly allowBreakingSchemas?: boolean;
}

export function addTo(program: Command, settings: CommandSettings): void {
  program
    .command('serve')
    .description(
      'run the service until SIGTERM or SIGINT; creates or migrates the database (MIGRATE); SIGHUP reloads the certificate',
    )
    .option(
      '--processes <number>',
      'how many processes share the port, or "auto": one for each core',
      optionOf(processCount),
      1,
    )
    .option(...allowBreakingOption)
    .action((options: ServeOptions) => runUntilSignal(() => start(settings.given(), options)));
}

/** One process, or a supervisor that starts several; each of them runs this command, too. */
async function start(environment: Environment, options: ServeOptions): Promise<Running> {
  const { processes } = options;
  if (cluster.isWorker) return (await import('../compose/member.ts')).startMember(processes);
  const config = await loadConfig(environment);
  await (await import('../operate/wait-for-database.ts')).waitForDatabase(config);
  if (options.allowBreakingSchemas) {
    const { acceptBreaking, readDeclaredCollections } = await import('../compose/declared-collections.ts');
    await acceptBreaking(config, await readDeclaredCollections(config));
  }
  // The app is loaded once the settings are valid, so that a mistake in them is reported at once.
  if (processes === 1)
    return (await import('../compose/app.ts')).startApp(config, { settings: settingsInForce(environment) });
  return (await import('../compose/supervise.ts')).startSupervisor(config, environment, processes);
}

type Running = Pick<App, 'log' | 'stop' | 'reload'>;

/** Runs until SIGTERM or SIGINT, then stops in order; a second signal changes nothing. SIGHUP reads certificates again. */
export async function runUntilSignal(start: () => Promise<Running>): Promise<void> {
  const signalled = Promise.withResolvers<void>();
  process.on('SIGTERM', signalled.resolve);
  // A terminal sends SIGINT to all processes at once; the supervisor decides when the others stop.
  process.on('SIGINT', cluster.isWorker ? () => {} : signalled.resolve);
  // A signal during the start takes effect after it.
  const started = Promise.withResolvers<Running>();
  process.on('SIGHUP', () => void started.promise.then(({ reload }) => reload()));
  const running = await start();
  started.resolve(running);
  const { log, stop } = running;
  // An uncaught error leaves an unknown state: log it once, without its message, and let a fresh process start.
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
  // All work is done, and an idle connection to the provider must not keep the process alive.
  process.exit(0);
}
