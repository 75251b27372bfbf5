import { type App, startApp } from './app.ts';
import { loadConfig } from './config/load.ts';
import { joinSupervisor, receiveStart } from './supervisor/channel.ts';
import { shareOf } from './supervisor/shares.ts';

/** The service as one of several processes: the same app, with its share of what there is only so much of. */
export async function startMember(): Promise<App> {
  const { environment, process: number, port, reusePort } = await receiveStart();
  try {
    const config = { ...shareOf(await loadConfig(environment)), port };
    const app = await startApp(config, { member: { process: number, reusePort } });
    joinSupervisor(app);
    return app;
  } catch (error) {
    // The channel to the supervisor must not keep a process that has failed.
    process.channel?.unref();
    throw error;
  }
}
