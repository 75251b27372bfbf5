import { useState } from 'preact/hooks';
import type { Collection, RecordItem } from '../api/types.ts';
import { t } from '../parts/words.ts';
import { inWords } from '../schema/shape.ts';
import { BatchDialog, type BatchResult } from './batch-dialog.tsx';
import { singularOf } from './collection-words.ts';
import { commonOf } from './selection-actions.ts';
import { maxSelected, type Selection } from './use-selection.ts';
import type { WeighedAction } from './weigh-actions.ts';

interface SelectionBarProps {
  readonly collection: Collection;
  /** The fetched records. */
  readonly items: readonly RecordItem[];
  readonly selection: Selection;
  /** Called after the batch was done. */
  onDone(done: BatchResult): void;
  /** Called after the batch was refused: the list may be out of date. */
  onRefused(): void;
  onEnd(): void;
}

/** The question of the dialog. */
interface Asked {
  readonly records: readonly RecordItem[];
  /** Null: the records are to be deleted. */
  readonly action: WeighedAction | null;
}

/** The number of selected records, and buttons for what the caller may do to all of them. */
export function SelectionBar({ collection, items, selection, onDone, onRefused, onEnd }: SelectionBarProps) {
  const [asked, setAsked] = useState<Asked | null>(null);
  const { selected, isFull } = selection;
  const { actions, mayDelete } = commonOf(collection, selected);
  const ask = (action: WeighedAction | null) => setAsked({ records: selected, action });
  const isAll = selected.length === Math.min(items.length, maxSelected);
  const hasNone = selected.length > 0 && actions.length === 0 && !mayDelete;
  return (
    <section class="selection-bar" aria-label={t.selection.title}>
      <p role="status">
        <strong>
          {selected.length === 0
            ? t.selection.none
            : t.selection.count(selected.length, singularOf(collection), collection.title)}
        </strong>{' '}
        {isFull && t.selection.most(maxSelected)} {hasNone && t.selection.nothingFits}
      </p>
      <div class="buttons">
        {actions.map((action) => (
          <button key={action.name} type="button" class="small" onClick={() => ask(action)}>
            <span>
              {inWords(action.name)}
              <span aria-hidden="true">…</span>
            </span>
          </button>
        ))}
        {mayDelete && (
          <button type="button" class="small danger" onClick={() => ask(null)}>
            <span>
              {t.deletion.yes}
              <span aria-hidden="true">…</span>
            </span>
          </button>
        )}
        <button type="button" class="small" onClick={isAll ? selection.selectNone : selection.selectAll}>
          {isAll ? t.selection.clear : t.selection.all}
        </button>
      </div>
      <button type="button" class="small quiet" onClick={onEnd}>
        {t.cancel}
      </button>
      {asked !== null && (
        <BatchDialog
          collection={collection}
          {...asked}
          onClose={(wasRefused) => {
            setAsked(null);
            if (wasRefused) onRefused();
          }}
          onDone={onDone}
        />
      )}
    </section>
  );
}
