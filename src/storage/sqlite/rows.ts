import type { DatabaseSync } from 'node:sqlite';
import { type Decided, decideInRounds, type Rows } from '../batch/run.ts';
import type { Lookup, Write } from '../batch/table.ts';
import { type BatchChanges, type BatchKeys, lookups, writes } from '../batch/tables.ts';
import type { BatchRules } from '../port.ts';
import { sqliteSpecial } from './special.ts';
import { finder, type Row, writer } from './statements.ts';

type Lists = Readonly<Record<string, readonly Row[] | undefined>>;

/** Runs batches synchronously on the writing connection, with prepared statements: a row costs a few microseconds. */
export class SqliteBatches {
  readonly #database: DatabaseSync;
  readonly #rules: BatchRules;
  readonly #loads: readonly (readonly [string, (wanted: readonly Row[], keys: BatchKeys) => unknown[]])[];
  readonly #writes: readonly (readonly [string, (rows: readonly Row[]) => void])[];
  readonly #noteDeletion: () => void;

  constructor(database: DatabaseSync, rules: BatchRules) {
    this.#database = database;
    this.#rules = rules;
    const special = sqliteSpecial(database);
    this.#noteDeletion = special.noteDeletion;
    const loads = special.loads as unknown as Readonly<Record<string, never>>;
    this.#loads = Object.entries(lookups).map(([name, lookup]: [string, Lookup]) => {
      if (lookup.how === 'special') return [name, loads[name] as never];
      const find = finder(database, lookup);
      return [name, (wanted) => wanted.flatMap(find)];
    });
    const ofSpecial = special.writes as unknown as Readonly<Record<string, never>>;
    this.#writes = Object.entries(writes).map(([name, write]: [string, Write]) => {
      if (write.how === 'special') return [name, ofSpecial[name] as never];
      const put = writer(database, write);
      return [name, (rows) => rows.forEach(put)];
    });
  }

  run(operations: readonly unknown[]): Decided {
    const database = this.#database;
    database.exec('begin immediate');
    try {
      // The transaction has locked the whole file.
      const rounds = decideInRounds(this.#rules, operations, { canLock: true });
      let step = rounds.next();
      while (step.done !== true) step = rounds.next(this.#load(step.value));
      this.#apply(step.value.changes);
      database.exec('commit');
      return step.value;
    } catch (error) {
      // A full disk has already ended the transaction.
      if (database.isTransaction) database.exec('rollback');
      throw error;
    }
  }

  #load(keys: BatchKeys): Rows {
    const all: Record<string, readonly unknown[]> = {};
    for (const [name, load] of this.#loads) {
      const wanted = (keys as Lists)[name];
      all[name] = wanted === undefined || wanted.length === 0 ? none : load(wanted, keys);
    }
    return all as unknown as Rows;
  }

  #apply(changes: BatchChanges): void {
    for (const [name, write] of this.#writes) {
      const rows = (changes as unknown as Lists)[name];
      if (rows !== undefined && rows.length > 0) write(rows);
    }
    const { removedRecords = [], steps = [] } = changes;
    if (removedRecords.length > 0 || steps.some(({ removed }) => removed !== undefined)) this.#noteDeletion();
  }
}

const none: readonly never[] = [];
