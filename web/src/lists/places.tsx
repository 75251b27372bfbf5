import type { Collection, RecordItem } from '../api/types.ts';
import { t } from '../parts/words.ts';
import { placesOf } from '../records/family.ts';
import { displayNumber } from '../schema/display.ts';

interface PlacesProps {
  readonly collection: Collection;
  readonly record: RecordItem;
  readonly isBig?: boolean;
}

/** How many places of a record are taken: words, and a line that fills. */
export function Places({ collection, record, isBig = false }: PlacesProps) {
  const places = placesOf(collection, record);
  if (places === null) return null;
  const { taken, all, waiting } = places;
  const isFull = taken >= all;
  const words = t.row.places(displayNumber(taken), displayNumber(all));
  return (
    <span class={`places ${isFull ? 'full' : ''} ${isBig ? 'big' : ''}`}>
      <span class="cut">
        {words}
        {isFull && `, ${t.row.full}`}
      </span>
      <meter min={0} max={all} value={Math.min(taken, all)} aria-label={words} />
      {isBig && waiting > 0 && <span class="soft">{t.row.waiting(displayNumber(waiting))}</span>}
    </span>
  );
}
