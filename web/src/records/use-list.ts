import { useRef, useState } from 'preact/hooks';
import type { Events } from '../api/client.ts';
import type { Collection, RecordItem } from '../api/types.ts';
import { useCount } from './use-count.ts';
import { useListFocus } from './use-list-focus.ts';
import { useLiveRecords } from './use-live-records.ts';
import { everything, isEverybodys, useRecords } from './use-records.ts';
import { useSelection } from './use-selection.ts';

interface ListOptions {
  /** The id of the parent, for the records under it. */
  readonly parentId?: string | undefined;
  /** The stream of events; by default the one that the answer with the list names. */
  readonly events?: Events | undefined;
  /** Called after records were changed, here or elsewhere. */
  onChanged?(): void;
}

/** A list of records with its filters, live updates, number of records, focus and selection. */
export function useList(collection: Collection, { parentId, ...options }: ListOptions = {}) {
  const [choice, setChoice] = useState(everything);
  const records = useRecords(collection, choice, { parentId });
  const { list, focusOn, keepFocus } = useListFocus();
  const searchInput = useRef<HTMLInputElement>(null);
  const selection = useSelection(records.items ?? []);
  const isAll = isEverybodys(collection, choice, parentId);
  const count = useCount(collection, records, isAll);
  const isFiltered = choice.state !== '' || choice.whose !== '' || choice.q !== '';
  const changed = options.onChanged ?? (() => {});
  useLiveRecords(collection, records, {
    events: options.events,
    isFiltered,
    around: keepFocus,
    onHeard: changed,
  });

  return {
    collection,
    isEverybodys: isAll,
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
    /** Null while it is not known. */
    count,
    async more() {
      const before = records.items?.length ?? 0;
      await records.more();
      focusOn(before);
    },
    onChanged(...now: readonly RecordItem[]) {
      // The button that was pressed can be gone.
      keepFocus(() => records.replace(...now));
      changed();
    },
    onGone(...ids: readonly string[]) {
      const place = records.items?.findIndex(({ id }) => id === ids[0]) ?? 0;
      records.drop(...ids);
      changed();
      focusOn(place);
    },
    /** Reads as many records again as were fetched. */
    async refresh() {
      const now = await records.reread();
      if (now !== null && now !== 'late') keepFocus(() => records.show(now));
    },
  };
}

export type ListView = ReturnType<typeof useList>;
