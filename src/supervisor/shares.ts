import type { Config } from '../config/settings.ts';

/** What a machine or a PostgreSQL has only so much of, however many processes there are: each has its part, rounded up. */
const divided = ['databasePoolSize', 'maxConnections', 'maxConnectionsPerAddress'] as const;

/** The settings of one of so many processes. */
export function shareOf(config: Config): Config {
  const shares = divided.map((key) => [key, Math.ceil(config[key] / config.processes)]);
  return { ...config, ...Object.fromEntries(shares) };
}
