import { searchedFields } from './search-box.tsx';
import type { ListView } from './use-list.ts';

/** A search or a filter has found nothing: says what to try next. */
export function NothingFound({ view }: { readonly view: ListView }) {
  const { collection, choice, records, clear } = view;
  const { q } = choice;
  if (q === '') {
    return (
      <div class="empty">
        <p class="empty-title">No record is in this list now</p>
        <p>Choose something else above, or look at all of them.</p>
        <button type="button" onClick={clear}>
          Show all
        </button>
      </div>
    );
  }
  return (
    <div class="empty">
      <p class="empty-title">
        {records.hasMore ? 'Nothing found yet for' : 'Nothing found for'} “{q}”
      </p>
      {records.hasMore ? (
        <p>Only the newest records were searched. You can search older ones, too.</p>
      ) : (
        <p>
          Check the spelling, or type only the beginning of a word. The search looks in{' '}
          {searchedFields(collection)}.
        </p>
      )}
      <button type="button" onClick={clear}>
        Clear the search
      </button>
    </div>
  );
}
