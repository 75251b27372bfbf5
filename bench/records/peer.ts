import type { Postgres } from '../shared/postgres.ts';
import type { Program } from '../shared/processes.ts';
import type { Stage } from '../shared/stage.ts';
import type { Listing } from './data.ts';

/** The shared parts of all peers. */
export interface RecordsStage extends Stage {
  /** One for each caller, and a few more. */
  readonly tokens: readonly string[];
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

/** A peer that serves records over HTTP. */
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

/** A peer with so many records. */
export interface Place {
  /** Of the peer, with the size. */
  readonly name: string;
  readonly peer: RecordsPeer;
  readonly size: number;
  readonly furnished: Furnished;
}
