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
  };
}

function verdictOn(
  { version }: SchemaState,
  missing: readonly Migration[],
  contracts: readonly Migration[],
): Verdict {
  if (missing.length === 0) return contracts.length === 0 ? 'nothing to do' : 'contract';
  if (version === 0) return 'rolling';
  if (missing.some(({ kind }) => kind === 'stop')) return 'stop first';
  return contracts.length === 0 ? 'rolling' : 'rolling, then contract';
}
