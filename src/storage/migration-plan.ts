import { type Migration, newestOf } from './migrations.ts';
import { missingSteps, type SchemaState, waitingContracts } from './schema-state.ts';

/** How a database gets to the newest version of a release. */
export type Verdict = 'nothing to do' | 'rolling' | 'rolling, then contract' | 'contract' | 'stop first';

export interface MigrationPlan {
  readonly verdict: Verdict;
  readonly version: number;
  readonly newest: number;
  /** Code that knows this version may serve now. */
  readonly oldest: number;
  readonly steps: readonly Pick<Migration, 'version' | 'kind' | 'what'>[];
  /** Only releases were here that turn unready when the schema becomes newer than theirs. */
  readonly isOfBefore: boolean;
}

export function planOf(state: SchemaState, steps: readonly Migration[]): MigrationPlan {
  const missing = missingSteps(state, steps);
  const contracts = waitingContracts(state, steps);
  return {
    verdict: verdictOn(state, missing, contracts),
    version: state.version,
    newest: newestOf(steps),
    oldest: state.oldest,
    steps: [...missing, ...contracts].map(({ version, kind, what }) => ({ version, kind, what })),
    isOfBefore: !state.hasOldest,
  };
}

function verdictOn(
  { version, hasOldest }: SchemaState,
  missing: readonly Migration[],
  contracts: readonly Migration[],
): Verdict {
  if (missing.length === 0) return contracts.length === 0 ? 'nothing to do' : 'contract';
  // Where nothing is yet, nobody runs.
  if (version === 0) return 'rolling';
  if (!hasOldest || missing.some(({ kind }) => kind === 'stop')) return 'stop first';
  return contracts.length === 0 ? 'rolling' : 'rolling, then contract';
}
