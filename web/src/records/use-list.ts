import { useRef, useState } from 'preact/hooks';
import type { Events } from '../api/client.ts';
import type { Collection, RecordItem } from '../api/types.ts';
import { countInWords } from './count-words.ts';
import { useCount } from './use-count.ts';
import { useListFocus } from './use-list-focus.ts';
import { useLiveRecords } from './use-live-records.ts';
import { everything, useRecords } from './use-records.ts';
import { useSelection } from './use-selection.ts';

interface ListOptions {
  /** Everybody's records, not only the caller's. */
  readonly isEverybodys?: boolean;
  /** The id of the parent, for the records under it. */
  readonly parentId?: string | undefined;
  /** The stream of events; by default the one that the answer with the list names. */
  readonly events?: Events | undefined;
  /** Called after records were changed, here or elsewhere. */
  onChanged?(): void;
}

/** A list of records with its filters, live updates, number of records, focus and selection. */
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
    /** Ends the search and the filters. The button for it disappears, so another element gets the focus. */
    clear() {
      setChoice({ ...everything, sort: choice.sort });
      if (searchInput.current === null) focusOn(0);
      else searchInput.current.focus();
    },
    isFiltered,
    records,
    selection,
    /** The button for it disappears, so the first checkbox gets the focus. */
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
    /** Reads as many records again as were fetched. */
    async refresh() {
      const now = await records.reread();
      if (now !== null && now !== 'late') keepFocus(() => records.show(now));
    },
  };
}

export type ListView = ReturnType<typeof useList>;
