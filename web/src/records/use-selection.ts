import { useState } from 'preact/hooks';
import type { RecordItem } from '../api/types.ts';

/** The most operations in one batch. */
export const maxSelected = 50;

/** The selected records of a list. A record that leaves the list is no longer selected. */
export function useSelection(items: readonly RecordItem[]) {
  const [ids, setIds] = useState<ReadonlySet<string> | null>(null);
  const selected = items.filter(({ id }) => ids?.has(id));
  const select = (records: readonly RecordItem[]) =>
    setIds(new Set(records.slice(0, maxSelected).map(({ id }) => id)));
  return {
    /** True while the list shows checkboxes. */
    isOn: ids !== null,
    selected,
    isFull: selected.length >= maxSelected,
    has: (id: string) => ids?.has(id) ?? false,
    begin: () => setIds(new Set()),
    end: () => setIds(null),
    toggle: (record: RecordItem) =>
      select(ids?.has(record.id) ? selected.filter((one) => one !== record) : [...selected, record]),
    selectAll: () => select(items),
    selectNone: () => select([]),
  };
}

export type Selection = ReturnType<typeof useSelection>;
