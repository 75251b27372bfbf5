import { useMemo } from 'preact/hooks';
import type { RecordItem } from '../api/types.ts';
import { ProblemNotice } from '../parts/notice.tsx';
import { useWide } from '../parts/use-wide.ts';
import { namesOnCards, personNames } from '../people/person.ts';
import type { ListView } from '../records/use-list.ts';
import { inWords } from '../schema/shape.ts';
import { planOf } from './plan.ts';
import { Row, type RowProps } from './row.tsx';
import { TableHead, TableRow } from './table.tsx';
import type { Deeds } from './use-deeds.tsx';
import { useRowKeys } from './use-row-keys.ts';
import { useWindow } from './use-window.ts';

/** In pixels, as in lists.css: on a desk, and on a phone. */
const rowHeights = { desk: 44, phone: 64 };

interface RowsProps {
  readonly view: ListView;
  readonly deeds: Deeds;
  readonly items: readonly RecordItem[];
  /** Shown as columns where the screen is wide enough. */
  readonly isTable?: boolean;
}

/** Records, one to a row. */
export function Rows({ view, deeds, items, isTable = false }: RowsProps) {
  const { collection, selection } = view;
  const isWide = useWide();
  const keys = useRowKeys({ collection, items, deeds, selection });
  const window = useWindow(items.length, isWide ? rowHeights.desk : rowHeights.phone);
  const names = useMemo(
    () => personNames(items.flatMap(({ owner }) => (typeof owner === 'string' ? [owner] : []))),
    [items, namesOnCards()],
  );
  const hasColumns = isTable && isWide;
  const RowOfKind = hasColumns ? TableRow : Row;
  const row = (record: RecordItem, index: number) => {
    const at = window.from + index;
    const props: RowProps = {
      collection,
      record,
      names,
      deeds,
      selection,
      at,
      isCurrent: at === keys.current,
    };
    return <RowOfKind key={record.id} {...props} />;
  };
  const refused = items.findIndex(({ id }) => deeds.problem !== null && id === deeds.about);
  return (
    <div ref={window.place} class={`rows ${hasColumns ? 'columns' : ''}`} style={widthsOf(view)}>
      {refused !== -1 && deeds.problem !== null && (
        <ProblemNotice problem={deeds.problem} collection={collection} />
      )}
      {hasColumns && <TableHead view={view} />}
      <ul
        ref={(element) => {
          keys.list.current = element;
          view.list.current = element;
        }}
        aria-label={collection.title}
        style={{ paddingTop: `${window.before}px`, paddingBottom: `${window.after}px` }}
        {...keys.events}
      >
        {items.slice(window.from, window.to).map(row)}
      </ul>
    </div>
  );
}

/** Columns as wide as the longest declared word, so that rows line up in any language. */
function widthsOf({ collection, selection }: ListView): Readonly<Record<string, string>> {
  const states = Object.entries(collection.states ?? {});
  const longest = (words: readonly string[]) => Math.max(0, ...words.map((word) => inWords(word).length));
  const state = longest(states.map(([name]) => name));
  const action = longest(states.flatMap(([, actions]) => Object.keys(actions)));
  const { tick } = planOf(collection);
  const width = (length: number, more: number) =>
    length === 0 ? '0px' : `min(140px, ${length * 0.62}em + ${more}px)`;
  return {
    '--state-width': width(state, 24),
    '--action-width': width(action, 26),
    '--tick-width': tick === null && !selection.isOn ? '0px' : '18px',
  };
}
