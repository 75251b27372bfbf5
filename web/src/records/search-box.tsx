import type { Ref } from 'preact';
import { useEffect, useId, useState } from 'preact/hooks';
import type { Collection } from '../api/types.ts';
import { t } from '../parts/words.ts';
import { fieldsOfSchema } from '../schema/shape.ts';
import { readSearch } from './search-query.ts';

/** Long enough to type the next letter, so that not every letter is a request. */
const debounceMs = 300;

interface SearchBoxProps {
  readonly collection: Collection;
  /** What is searched for now. */
  readonly q: string;
  readonly input: Ref<HTMLInputElement>;
  onSearch(q: string): void;
}

/** Searches while the person types. Enter searches at once. */
export function SearchBox({ collection, q, input, onSearch }: SearchBoxProps) {
  const id = useId();
  const [text, setText] = useState(q);
  const [hint, setHint] = useState<string | null>(null);

  const search = () => {
    const read = readSearch(text);
    setHint(read.hint);
    if (read.q !== null && read.q !== q) onSearch(read.q);
  };
  useEffect(() => {
    const timer = setTimeout(search, debounceMs);
    return () => clearTimeout(timer);
  }, [text]);
  // The list offers to end a search that has found nothing.
  useEffect(() => {
    if (q === '') setText('');
  }, [q]);

  return (
    <search>
      <form
        class="search"
        onSubmit={(event) => {
          event.preventDefault();
          search();
        }}
      >
        <label for={id}>{t.list.searchIn(searchedFields(collection))}</label>
        <input
          id={id}
          ref={input}
          type="search"
          value={text}
          autocomplete="off"
          aria-describedby={`${id}-hint`}
          onInput={(event) => setText(event.currentTarget.value)}
        />
        <p class="hint" id={`${id}-hint`} role="status">
          {hint}
        </p>
      </form>
    </search>
  );
}

/** The labels of the fields that are searched in. */
export function searchedFields({ search = [], schema }: Collection): readonly string[] {
  const labels = new Map(fieldsOfSchema(schema).map(({ name, label }) => [name, label]));
  return search.map((name) => labels.get(name) ?? name);
}
