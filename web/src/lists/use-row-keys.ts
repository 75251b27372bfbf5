import { useRef, useState } from 'preact/hooks';
import type { Collection, RecordItem } from '../api/types.ts';
import { goTo } from '../parts/use-route.ts';
import { mayChange } from '../records/roles.ts';
import type { Selection } from '../records/use-selection.ts';
import { hasKeys } from '../session/traces.ts';
import { firstActionOf } from './first-action.ts';
import { planOf } from './plan.ts';
import { mayTick } from './row.tsx';
import type { Deeds } from './use-deeds.tsx';

interface RowKeysOptions {
  readonly collection: Collection;
  readonly items: readonly RecordItem[];
  readonly deeds: Deeds;
  readonly selection: Selection;
}

/** The keys of a list. It is one stop of Tab; in it the arrows go from row to row. */
export function useRowKeys({ collection, items, deeds, selection }: RowKeysOptions) {
  const [current, setCurrent] = useState(0);
  const list = useRef<HTMLElement>(null);
  const at = Math.min(current, Math.max(0, items.length - 1));

  const focus = (place: number) => {
    setCurrent(place);
    // Outside of the window the row is not drawn yet.
    const find = () => list.current?.querySelector<HTMLElement>(`[data-at="${place}"] .row-title`);
    if (find()) return find()?.focus();
    list.current?.querySelector('[data-at]')?.scrollIntoView();
    requestAnimationFrame(() => find()?.focus());
  };

  const keys: Readonly<Record<string, (record: RecordItem) => void>> = {
    ArrowDown: () => focus(Math.min(at + 1, items.length - 1)),
    ArrowUp: () => focus(Math.max(at - 1, 0)),
    Home: () => focus(0),
    End: () => focus(items.length - 1),
    ' ': (record) => {
      const { tick } = planOf(collection);
      if (selection.isOn) selection.toggle(record);
      else if (mayTick(collection, record, tick)) void deeds.tick(record, tick.name);
    },
    a: (record) => {
      const action = firstActionOf(collection, record);
      if (action !== null) void deeds.take(record, action);
    },
    '.': () => list.current?.querySelector<HTMLElement>(`[data-at="${at}"] [aria-haspopup]`)?.click(),
    e: (record) => mayChange(collection, record, 'update') && goTo('data', collection.name, record.id),
    x: (record) => {
      if (!selection.isOn) selection.begin();
      selection.toggle(record);
    },
    Delete: (record) => mayChange(collection, record, 'delete') && deeds.askDelete(record),
  };

  return {
    list,
    current: at,
    focus,
    /** For the list: where the focus is, and its keys. */
    events: {
      onFocusIn(event: FocusEvent) {
        const row = (event.target as HTMLElement).closest<HTMLElement>('[data-at]');
        if (row !== null) setCurrent(Number(row.dataset.at));
      },
      onKeyDown(event: KeyboardEvent) {
        const record = items[at];
        const target = event.target as HTMLElement;
        const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
        const act = keys[key];
        if (record === undefined || act === undefined || !isOurs(event)) return;
        // A button and a box have their own Space.
        if (key === ' ' && !target.classList.contains('row-title')) return;
        event.preventDefault();
        act(record);
      },
    },
  };
}

/** Not one of the browser; single letters act only where the person wants them to. */
export function isOurs({ key, ctrlKey, metaKey, altKey }: KeyboardEvent): boolean {
  return !ctrlKey && !metaKey && !altKey && (key.length > 1 || key === ' ' || hasKeys());
}
