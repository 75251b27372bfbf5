import type { LoadGenerator } from './load.ts';
import type { Postgres } from './postgres.ts';
import type { Program } from './processes.ts';
import type { Listing } from './records-data.ts';
import { jsonServer } from './records-json-server.ts';
import { parseServer } from './records-parse-server.ts';
import { vestibuleOn } from './records-vestibule.ts';
import type { TokenStage } from './token-stage.ts';
import type { TokenFile } from './tokens.ts';

/** What all records work of a run shares. */
export interface RecordsStage extends TokenStage {
  readonly generator: LoadGenerator;
  readonly tokens: TokenFile;
  readonly postgres: Postgres;
}

/** Where a peer has the records, and how it says what it has. */
export interface Dialect {
  /** Of every request. */
  readonly headers: Readonly<Record<string, string>>;
  readonly takesTokens: boolean;
  readonly createPath: string;
  pathOf(id: string): string;
  /** The first fifty that start then or later, in that order. */
  pagePath(from: string): string;
  itemsOf(answer: never): readonly Listing[];
  /** Of a record that was just made. */
  idOf(answer: never): string;
}

/** A peer with its records in place, ready to be started, again and again. */
export interface Furnished {
  readonly program: Program;
  readonly origin: string;
  readonly folder: string;
  /** Asked until it answers 200. */
  readonly probe: string;
  /** Removes what was written since; answers with how much that was. */
  restore(): Promise<number>;
}

/** Somebody who serves records over HTTP. */
export interface RecordsPeer {
  readonly name: string;
  readonly title: string;
  readonly dialect: Dialect;
  /** Keeps its records in the PostgreSQL of the stage. */
  readonly usesPostgres: boolean;
  /** GET /me can be asked of the same process. */
  readonly servesMe: boolean;
  /** The largest size that it is measured at. */
  readonly largest: number;
  furnish(size: number, stage: RecordsStage): Promise<Furnished>;
}

/** In the order in which they are measured. */
const lineUp: readonly RecordsPeer[] = [
  vestibuleOn('sqlite'),
  vestibuleOn('postgres'),
  parseServer,
  jsonServer,
];

export function chooseRecordsPeers(names: readonly string[] | null): readonly RecordsPeer[] {
  const known = lineUp.map(({ name }) => name);
  const unknown = names?.filter((name) => !known.includes(name)) ?? [];
  if (unknown.length > 0) {
    throw new Error(`--only does not know ${unknown.join(', ')}. There are: ${known.join(', ')}.`);
  }
  return lineUp.filter(({ name }) => names?.includes(name) ?? true);
}
