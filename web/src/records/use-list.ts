import { useRef, useState } from 'preact/hooks';
import type { Events } from '../api/client.ts';
import type { Collection, RecordItem } from '../api/types.ts';
import { countInWords, useCount } from './use-count.ts';
import { useListFocus } from './use-list-focus.ts';
import { useLiveRecords } from './use-live-records.ts';
import { everything, useRecords } from './use-records.ts';
import { useSelection } from './use-selection.ts';

interface ListOptions {
  /** All records that everyone can read, and not only the caller's. */
  readonly isEverybodys?: boolean;
  /** The records under this one. */
  readonly parentId?: string | undefined;
  /** Where the list hears of changes, unless its own answer says that. */
  readonly events?: Events | undefined;
  /** Records were changed, here or elsewhere: what is shown around the list may be out of date. */
  onChanged?(): void;
}

/** A list of records with what belongs to it: filters, live updates, the number of records, the focus, the selection. */
export function useList(collection: Collection, { isEverybodys = false, parentId, ...options }: ListOptions) {
  const [choice, setChoice] = useState(everything);
  const records = useRecords(collection, choice, { isEverybodys, parentId });
  const { list, focusOn, keepFocus } = useListFocus();
  const searchInput = useRef<HTMLInputElement>(null);
  const selection = useSelection(records.items ?? []);
  const count = useCount(collection, records, isEverybodys);
  const isFiltered = choice.state !== '' || choice.role !== '' || choice.q !== '';
  const changed = options.onChanged ?? (() => {});
  useLiveRecords(collection, records, {
    events: options.events,
    isFiltered,
    around: keepFocus,
    onHeard: changed,
  });

  return {
    collection,
    isEverybodys,
    isUnder: parentId !== undefined,
    choice,
    setChoice,
    searchInput,
    /** Shows all records again. The button for it goes away, so the focus goes elsewhere. */
    clear() {
      setChoice({ ...everything, sort: choice.sort });
      if (searchInput.current === null) focusOn(0);
      else searchInput.current.focus();
    },
    isFiltered,
    records,
    selection,
    /** The button for it goes away: the focus goes to the first box. */
    beginSelection() {
      selection.begin();
      setTimeout(() => list.current?.querySelector('input')?.focus());
    },
    list,
    focusOn,
    countText: count === null ? '' : countInWords(count, isFiltered),
    async more() {
      const before = records.items?.length ?? 0;
      await records.more();
      focusOn(before);
    },
    onChanged(...now: readonly RecordItem[]) {
      records.replace(...now);
      changed();
    },
    onGone(...ids: readonly string[]) {
      records.drop(...ids);
      changed();
      focusOn(0);
    },
    /** As the list is now, as far as it was fetched. */
    async refresh() {
      const now = await records.reread();
      if (now !== null && now !== 'late') keepFocus(() => records.show(now));
    },
  };
}

export type ListView = ReturnType<typeof useList>;
