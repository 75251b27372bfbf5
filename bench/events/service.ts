import { randomBytes } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Database } from '../shared/database.ts';
import type { Postgres } from '../shared/postgres.ts';
import { type Cores, type Program, type RunningServer, serverCore } from '../shared/processes.ts';
import { answers, startReady } from '../shared/ready.ts';
import { type Stage, type Surroundings, surroundingsFor } from '../shared/stage.ts';
import { vestibule } from '../shared/vestibule.ts';

/** The shared parts of all measurements of events. */
export interface EventsStage extends Stage {
  readonly tokens: readonly string[];
  readonly postgres: Postgres;
}

const declaration = (events: string) => `
schema:
  required: [text]
  properties: { text: { type: string, maxLength: 500 }, stars: { type: integer } }
events: ${events}
limits: { per_user: 1000000, bytes: 4096, writes: 1000000/s }
`;

/** A program that is started again and again on the same database, which is new. */
export interface Service {
  readonly name: string;
  readonly program: Program;
  readonly surroundings: Surroundings;
  readonly origin: string;
  start(cores?: Cores): Promise<RunningServer>;
}

export async function newService(
  name: string,
  database: Database,
  events: 'none' | 'thin' | 'full',
  stage: EventsStage,
): Promise<Service> {
  const surroundings = await surroundingsFor(name, stage);
  const collections = join(surroundings.folder, 'collections');
  mkdirSync(collections);
  writeFileSync(join(collections, 'notes.yaml'), declaration(events));
  const url =
    database === 'sqlite'
      ? `sqlite:${join(surroundings.folder, 'vestibule.db')}`
      : await stage.postgres.createDatabase();
  return serviceWith(name, surroundings, {
    DATABASE_URL: url,
    MASTER_SECRET: randomBytes(48).toString('base64url'),
    COLLECTIONS_DIR: collections,
    READS_PER_MINUTE: '1000000',
    MAX_CONNECTIONS_PER_ADDRESS: '20000',
    MAX_CONNECTIONS: '20000',
    // All callers of a fresh database are new.
    NEWCOMERS_PER_HOUR: '0',
  });
}

/** A second process on the same database. */
export async function besides(service: Service, stage: EventsStage): Promise<Service> {
  const name = `${service.name}-other`;
  return serviceWith(name, await surroundingsFor(name, stage), own(service.program.environment));
}

function own({ PORT: _port, OPS_PORT: _opsPort, ...settings }: Program['environment']) {
  return settings as Record<string, string>;
}

function serviceWith(
  name: string,
  surroundings: Surroundings,
  settings: Readonly<Record<string, string>>,
): Service {
  const program = vestibule(surroundings, 'warn', settings);
  const isReady = answers(`http://127.0.0.1:${surroundings.opsPort}/readyz`);
  return {
    name,
    program,
    surroundings,
    origin: `http://127.0.0.1:${surroundings.port}`,
    start: (cores = serverCore) => startReady(name, program, surroundings.folder, isReady, cores),
  };
}
