import { join } from 'node:path';
import type { Surroundings } from '../line-up.ts';
import type { Program } from '../processes.ts';

const main = join(import.meta.dirname, '../../src/main.ts');

/** `vestibule serve` on a new SQLite file, with everything on as shipped; the log as told. */
export function vestibule(
  { port, opsPort, folder, issuer, jwksPath, audience }: Surroundings,
  logLevel: 'info' | 'warn',
): Program {
  return {
    command: process.execPath,
    parameters: [main, 'serve'],
    environment: {
      DATABASE_URL: `sqlite:${join(folder, 'vestibule.db')}`,
      PORT: String(port),
      OPS_PORT: String(opsPort),
      IDP_ORIGIN: issuer,
      IDP_JWKS_PATH: jwksPath,
      API_AUDIENCE: audience,
      LOG_LEVEL: logLevel,
    },
  };
}
