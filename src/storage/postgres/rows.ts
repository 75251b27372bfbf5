import { DatabaseError } from 'pg';
import { type Decided, decideInRounds, decideWithRetries, LocksMissing, type Rows } from '../batch/run.ts';
import type { Lookup, Write } from '../batch/table.ts';
import { type BatchChanges, type BatchKeys, lookups, writes } from '../batch/tables.ts';
import { ThrownByRules } from '../engine.ts';
import type { BatchRules, BatchStore, OnReload } from '../port.ts';
import { before, type Run, specialLoads, specialWrites } from './special.ts';
import { findStatement, type Row, writeStatement } from './statements.ts';
import type { Transaction } from './transaction.ts';
import { isUnknownStatement, onlyReads } from './unavailable.ts';

type InTransaction = <T>(work: (transaction: Transaction) => Promise<T>) => Promise<T>;

/** Unique violation, foreign key violation (a member was erased meanwhile), serialization failure, deadlock. */
const conflicts = new Set(['23505', '23503', '40001', '40P01']);
const maxAttempts = 10;
const maxStale = 4;

/** Each round of a batch is one round trip. All processes lock rows in one order; conflicts retry. */
export function postgresBatches(
  inTransaction: InTransaction,
  rules: BatchRules,
  onReload: OnReload,
): BatchStore {
  const attempt = (operations: readonly unknown[], also: BatchKeys): Promise<Decided> =>
    inTransaction(async (transaction) => {
      const run: Run = (sql, parameters) => transaction.run(sql, parameters);
      const rounds = decideInRounds(rules, operations, { also, canLock: false });
      let step = byRules(() => rounds.next());
      while (step.done !== true) {
        const found = await load(run, step.value);
        step = byRules(() => rounds.next(found));
      }
      apply(run, step.value.changes);
      return step.value;
    });
  return {
    async run(operations) {
      const { outcomes, reloaded } = await decideWithRetries((also) => attempt(operations, also), canRetry);
      if (reloaded.length > 0) onReload(reloaded);
      return outcomes;
    },
  };
}

/** A session that has only read since a failover, or has lost its prepared statements: a few more may be left. */
function canRetry(error: unknown, attempt: number): boolean {
  const isStale = attempt < maxStale && (onlyReads(error) || isUnknownStatement(error));
  return attempt < maxAttempts && (isStale || isConflict(error));
}

function byRules<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw error instanceof LocksMissing ? error : new ThrownByRules('', { cause: error });
  }
}

function isConflict(error: unknown): boolean {
  const cause = error instanceof DatabaseError ? error : (error as Error | null)?.cause;
  return cause instanceof DatabaseError && conflicts.has(cause.code ?? '');
}

type Lists = Readonly<Record<string, readonly Row[] | undefined>>;
type Load = (run: Run, wanted: readonly Row[], keys: BatchKeys) => Promise<readonly unknown[]>;

const loads = Object.entries(lookups).map(([name, lookup]: [string, Lookup]): readonly [string, Load] => {
  if (lookup.how === 'special')
    return [name, specialLoads[name as keyof typeof specialLoads] as unknown as Load];
  const { sql, json } = findStatement(lookup);
  return [name, async (run, wanted) => (await run(sql, [json(wanted)])).rows];
});

/** Sends all statements before the first answer. */
async function load(run: Run, keys: BatchKeys): Promise<Rows> {
  const found = loads.map(async ([name, find]) => {
    const wanted = (keys as Lists)[name];
    return [name, wanted === undefined || wanted.length === 0 ? [] : await find(run, wanted, keys)] as const;
  });
  return Object.fromEntries(await Promise.all(found)) as unknown as Rows;
}

type Apply = (run: Run, rows: readonly Row[]) => void;

const applied = Object.entries(writes).map(([name, write]: [string, Write]): readonly [string, Apply] => {
  if (write.how === 'special')
    return [name, specialWrites[name as keyof typeof specialWrites] as unknown as Apply];
  const { sql, json } = writeStatement(write);
  return [name, (run, rows) => void run(sql, [json(rows)])];
});

/** Nothing is awaited: the commit fails with the first failure. */
function apply(run: Run, changes: BatchChanges): void {
  for (const [name, write] of applied) {
    before[name]?.(run, changes);
    const rows = (changes as unknown as Lists)[name];
    if (rows !== undefined && rows.length > 0) write(run, rows);
  }
}
