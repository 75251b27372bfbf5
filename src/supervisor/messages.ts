import type { Environment } from '../config/load.ts';
import type { Family } from '../ops/exposition.ts';

/** What a child is told first: the settings as the supervisor has read them, and its place among the others. */
export interface Start {
  readonly environment: Environment;
  /** Counted from 1. */
  readonly process: number;
  readonly port: number;
  readonly reusePort: boolean;
}

/** What a child can be asked, and what it answers with. */
export interface Answers {
  readonly live: true;
  readonly ready: Health;
  readonly metrics: readonly Family[];
}

export type Question = keyof Answers;

/** An answer of GET /readyz. */
export interface Health {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
}

export type ToChild =
  | { readonly start: Start }
  | { readonly ask: Question; readonly id: number }
  /** The number of a connection, which goes with the message. */
  | { readonly connection: number };

export type FromChild =
  | { readonly listening: string }
  | { readonly id: number; readonly answer: Answers[Question] | null }
  /** Said before anything of the connection is read. */
  | { readonly taken: number };
