import type { Collection, RecordItem } from '../api/types.ts';
import { inWords } from '../schema/shape.ts';
import { progressOf } from './plan.ts';

/** A state: its word, beside a disc that fills on the way from the first state to a last one. */
export function State({
  collection,
  record,
}: {
  readonly collection: Collection;
  readonly record: RecordItem;
}) {
  if (typeof record.state !== 'string') return null;
  return <StateWord collection={collection} state={record.state} />;
}

export function StateWord({
  collection,
  state,
}: {
  readonly collection: Collection;
  readonly state: string;
}) {
  const progress = progressOf(collection, state);
  return (
    <span
      class={`state ${progress === 1 ? 'last' : ''}`}
      style={{ '--done': `${Math.round(progress * 100)}%` }}
    >
      <span class="cut">{inWords(state)}</span>
    </span>
  );
}
