import { join } from 'node:path';
import { type Program, run } from './processes.ts';
import type { Surroundings } from './stage.ts';

const main = join(import.meta.dirname, '../../bin/vestibule.js');

/** `vestibule serve` on a new SQLite file, with everything on as shipped; the log and other settings as told. */
export function vestibule(
  { port, opsPort, folder, issuer, algorithm, jwksPath, audience }: Surroundings,
  logLevel: 'info' | 'warn',
  settings: Readonly<Record<string, string>> = {},
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
      ALLOWED_ALGORITHMS: algorithm,
      LOG_LEVEL: logLevel,
      ...settings,
    },
  };
}

/** Adds a machine client to the database that this program serves, and answers with its secret. */
export async function addClient(program: Program, id: string): Promise<string> {
  const printed = await command(program, 'client', 'add', id, '--json');
  return JSON.parse(/\{.*\}/s.exec(printed)?.[0] ?? '{}').client_secret;
}

export async function disableClient(program: Program, id: string): Promise<void> {
  await command(program, 'client', 'disable', id);
}

function command(program: Program, ...parameters: string[]): Promise<string> {
  return run({ ...program, parameters: [main, ...parameters] }, 20);
}
