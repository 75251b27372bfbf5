import { createLog, standardOutput } from '../base/log.ts';
import type { Config } from '../config/settings.ts';

/** PostgreSQL may start later than this service. */
export async function waitForDatabase({ databaseUrl, logLevel }: Config): Promise<void> {
  if (databaseUrl.engine === 'sqlite') return;
  const { waitForServer } = await import('../storage/postgres/wait-for-server.ts');
  const log = createLog(logLevel, standardOutput(false));
  // Nothing is open yet that would have to be closed.
  const exit = () => process.exit(0);
  for (const signal of ['SIGTERM', 'SIGINT']) process.on(signal, exit);
  await waitForServer(databaseUrl.url, {
    onFailure: (detail) => log.warn({ detail }, 'waiting for the database'),
  });
  for (const signal of ['SIGTERM', 'SIGINT']) process.off(signal, exit);
}
