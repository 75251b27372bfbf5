import type { Collection, RecordItem } from '../api/types.ts';
import { RecordFacts } from './record-facts.tsx';
import { nameOf } from './record-name.ts';
import type { Selection } from './use-selection.ts';

interface SelectableCardProps {
  readonly collection: Collection;
  readonly record: RecordItem;
  readonly level: 2 | 3;
  readonly selection: Selection;
}

/** A record with a checkbox instead of buttons. A click anywhere on the card toggles it. */
export function SelectableCard({ collection, record, level, selection }: SelectableCardProps) {
  const isSelected = selection.has(record.id);
  return (
    <li class={`card record selectable ${isSelected ? 'selected' : ''}`}>
      <label>
        <input
          type="checkbox"
          checked={isSelected}
          disabled={!isSelected && selection.isFull}
          onChange={() => selection.toggle(record)}
        />
        <span class="hidden">Select {nameOf(collection, record)}</span>
      </label>
      <RecordFacts collection={collection} record={record} level={level} />
    </li>
  );
}
