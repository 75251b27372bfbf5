import assert from 'node:assert/strict';
import { Buffer } from 'node:buffer';
import { decideInRounds, type Rows } from '../../../src/storage/batch/run.ts';
import type { Lookup, RowsByKey, RowsWritten, Table, Write } from '../../../src/storage/batch/table.ts';
import { lookups, tables, writes } from '../../../src/storage/batch/tables.ts';
import type {
  BatchChanges,
  BatchKeys,
  BatchRules,
  Consumer,
  NewcomersSince,
  NewEvent,
  Outcome,
  RecordName,
  Step,
  StoredRecord,
  UniqueValues,
  UsageRow,
} from '../../../src/storage/port.ts';

type Row = Readonly<Record<string, unknown>>;
type SpecialLoad = (wanted: readonly unknown[], keys: BatchKeys) => readonly unknown[];
type Lists = Readonly<Record<string, readonly Row[] | undefined>>;

/** A database in plain maps, as strict as the tables, so that wrong changes fail. It reads and writes by their description. */
export class MemoryStore {
  readonly #tables = new Map<string, Map<string, Row>>(Object.keys(tables).map((name) => [name, new Map()]));
  readonly events: NewEvent[] = [];

  get consumers() {
    return this.#table(tables.consumers) as Map<string, Consumer>;
  }

  get records() {
    return this.#table(tables.records) as Map<string, StoredRecord>;
  }

  get usage() {
    return this.#table(tables.usage) as Map<string, UsageRow>;
  }

  get keys() {
    return this.#table(tables.idempotency_keys);
  }

  get proofs() {
    return this.#table(tables.proofs);
  }

  run(operations: readonly unknown[], rules: BatchRules): readonly Outcome[] {
    const rounds = decideInRounds(rules, operations, { canLock: true });
    let step = rounds.next();
    while (step.done !== true) step = rounds.next(this.#load(step.value));
    const { changes, outcomes, reloaded } = step.value;
    assert.deepEqual(reloaded, [], 'a rule has read what no rule had asked for');
    this.#apply(changes);
    return outcomes;
  }

  #table({ name }: Table): Map<string, Row> {
    return this.#tables.get(name) as Map<string, Row>;
  }

  #load(keys: BatchKeys): Rows {
    const found = Object.entries(lookups).map(([name, lookup]: [string, Lookup]) => {
      const wanted = (keys as Lists)[name] ?? [];
      if (lookup.how !== 'special') return [name, wanted.flatMap((key) => this.#find(lookup, key))];
      return [name, wanted.length === 0 ? [] : this.#special[name]?.(wanted, keys)];
    });
    return Object.fromEntries(found);
  }

  #find({ table, by, read, how, order, isLimited }: RowsByKey, key: Row): readonly Row[] {
    const rows = [...this.#table(table).values()].filter((row) => valuesOf(row, by) === valuesOf(key, by));
    if (how === 'counts')
      return [...Map.groupBy(rows, (row) => valuesOf(row, read)).values()].map((group) => {
        return { ...only(group[0] as Row, [...by, ...read]), count: group.length };
      });
    const sorted = rows.toSorted((one, other) => {
      const name = order.find((each) => one[each] !== other[each]);
      return name === undefined ? 0 : (one[name] as number) < (other[name] as number) ? -1 : 1;
    });
    return (isLimited ? sorted.slice(0, key.limit as number) : sorted).map((row) => only(row, read));
  }

  readonly #special: Readonly<Record<string, SpecialLoad>> = {
    records: (wanted, { parents = [] }) => {
      const found = new Map<string, StoredRecord>();
      const names = [...(wanted as readonly RecordName[])];
      for (const { collection, id } of names) {
        const record = this.records.get(textOf([collection, id]));
        if (record === undefined) continue;
        found.set(textOf([collection, id]), record);
        const above = parents.find(({ child }) => child === collection);
        if (above !== undefined && record.parentId !== null)
          names.push({ collection: above.collection, id: record.parentId });
      }
      return [...found.values()];
    },
    unique: (wanted) =>
      (wanted as readonly UniqueValues[]).flatMap(({ collection, rule, columns, values, states }) =>
        [...this.records.values()]
          .filter((one) => one.collection === collection && (states?.includes(one.state ?? '') ?? true))
          .filter((one) => textOf(columns.map((column) => indexed(one, column))) === textOf(values))
          .map(({ id }) => ({ collection, rule, key: JSON.stringify(values), id })),
      ),
    newcomers: (wanted) =>
      (wanted as readonly NewcomersSince[]).map(({ since, maxCount }) => {
        const all = [...this.consumers.values()];
        const count = all.filter(({ kind, registeredAt }) => kind === 'user' && registeredAt >= since).length;
        return { count: Math.min(count, maxCount) };
      }),
  };

  #apply(changes: BatchChanges): void {
    for (const [name, write] of Object.entries(writes) as [string, Write][])
      if (write.how !== 'special')
        for (const row of (changes as Lists)[name] ?? []) this.#write(name, write, row);
      else if (name === 'events') this.events.push(...(changes.events ?? []));
      else for (const step of changes.steps ?? []) this.#step(step);
  }

  #step({ put, removed }: Step): void {
    if (put !== undefined) this.#table(tables.records).set(valuesOf(put as never, ['collection', 'id']), put);
    if (removed !== undefined) this.#write('removedRecords', writes.removedRecords, removed as never);
  }

  #write(name: string, { table, how, by, under, kept }: RowsWritten, row: Row): void {
    const rows = this.#table(table);
    const key = valuesOf(row, table.key);
    const before = rows.get(key);
    const of = table.key.slice(0, -1);
    const named = [...rows].filter(([, one]) => valuesOf(one, by) === valuesOf(row, by));
    if (how === 'remove') {
      if (name === 'removedRecords') assert.ok(before, 'a record is removed that is not there');
      for (const [place] of named) rows.delete(place);
      if (table.name === 'records') this.#removeUnder(row);
      return;
    }
    if (how === 'insert') assert.equal(before, undefined, `${name}: a row is inserted that is there`);
    if (name === 'changedRecords') assert.ok(before, 'a record is changed that is not there');
    if (how === 'add' && before === undefined) return;
    if (how === 'append') {
      const others = [...rows.values()].filter((one) => valuesOf(one, of) === valuesOf(row, of));
      const n = Math.max(0, ...others.map((one) => one.n as number)) + 1;
      rows.set(valuesOf({ ...row, n }, table.key), { ...row, n });
      for (const one of others) if ((one.n as number) <= n - kept) rows.delete(valuesOf(one, table.key));
      return;
    }
    const above = under && textOf(table.key.slice(0, under.key.length).map((one) => row[one]));
    if (under !== null && !this.#table(under).has(above ?? '')) return;
    const after: Record<string, unknown> = { ...before, ...only(row, Object.keys(table.columns)) };
    for (const [column, { isAdded }] of Object.entries(table.columns))
      if (isAdded) after[column] = Math.max(((before?.[column] as number) ?? 0) + Number(row[column]), 0);
    rows.set(key, after);
  }

  /** As the databases do when a record is deleted. */
  #removeUnder({ collection, id }: Row): void {
    const { members, invitations, tallies, record_history } = tables;
    for (const table of [members, invitations, tallies, record_history] as Table[])
      for (const [key, row] of this.#table(table))
        if (row.collection === collection && row.recordId === id) this.#table(table).delete(key);
  }
}

function only(row: Row, names: readonly string[]): Row {
  return Object.fromEntries(names.flatMap((name) => (name in row ? [[name, row[name]]] : [])));
}

function valuesOf(row: Row, names: readonly string[]): string {
  return textOf(names.map((name) => row[name]));
}

function textOf(values: readonly unknown[]): string {
  return JSON.stringify(
    values.map((one) => (one instanceof Uint8Array ? Buffer.from(one).toString('hex') : one)),
  );
}

/** As in the indexes of the databases. */
function indexed(record: StoredRecord, column: UniqueValues['columns'][number]): unknown {
  if (column === 'owner') return record.owner;
  const value = JSON.parse(record.body)[column.name];
  if (column.kind === 'boolean') return value === true ? 1 : 0;
  if (column.kind === 'number') return typeof value === 'number' ? value : 0;
  return typeof value === 'string' ? value : '';
}
