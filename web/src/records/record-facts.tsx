import type { Ref, RefObject } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { Collection, RecordItem } from '../api/types.ts';
import { display, displayMoment } from '../schema/display.ts';
import { inWords } from '../schema/shape.ts';
import { countsOf, ownFields } from './family.ts';
import { nameOf } from './record-name.ts';
import { rolesInWords } from './roles.ts';

/** In characters. A longer name is set as text, not as a title. */
const longestTitle = 120;

interface RecordFactsProps {
  readonly collection: Collection;
  readonly record: RecordItem;
  /** For the focus. */
  readonly heading?: Ref<HTMLHeadingElement>;
  /** Heading level; 1: the screen already shows the name as its title. */
  readonly level?: 1 | 2 | 3;
}

/** The name, the state and the fields of a record. */
export function RecordFacts({ collection, record, heading = null, level = 2 }: RecordFactsProps) {
  const [, ...rest] = ownFields(collection);
  const given = rest.filter((field) => record[field.name] !== undefined);
  const Heading = level === 3 ? 'h3' : 'h2';
  const name = nameOf(collection, record);
  const counts = countsOf(collection, record);
  const roles = rolesInWords(collection, record, level !== 1);
  const facts = useRef<HTMLDivElement>(null);
  const [isWhole, setWhole] = useState(false);
  const isCut = useIsCut(facts, JSON.stringify(record));
  return (
    <div ref={facts} class={`record-facts ${isWhole ? 'whole' : ''}`}>
      <div class="record-head">
        {level === 1 ? (
          <p class="soft">{roles}</p>
        ) : (
          <Heading
            ref={heading}
            class={`record-title ${name.length > longestTitle ? 'long' : ''}`}
            tabIndex={-1}
          >
            {name}
          </Heading>
        )}
        {typeof record.state === 'string' && (
          <span class={`state ${stateTone(collection, record)}`}>{inWords(record.state)}</span>
        )}
      </div>
      {level !== 1 && roles !== null && <p class="soft record-roles">{roles}</p>}
      {given.length + counts.length > 0 && (
        <dl class="fields">
          {given.map((field) => (
            <div key={field.name}>
              <dt>{field.label}</dt>
              <dd>{display(field.shape, record[field.name])}</dd>
            </div>
          ))}
          {counts.map(({ label, text }) => (
            <div key={label}>
              <dt>{label}</dt>
              <dd>{text}</dd>
            </div>
          ))}
        </dl>
      )}
      {isCut && (
        <button type="button" class="link" aria-expanded={isWhole} onClick={() => setWhole(!isWhole)}>
          {isWhole ? 'Show less' : 'Show all'}
        </button>
      )}
    </div>
  );
}

/** True if the style cuts a text of the record after a few lines. It is measured again when the width changes. */
function useIsCut(facts: RefObject<HTMLElement | null>, content: string): boolean {
  const [isCut, setCut] = useState(false);
  useEffect(() => {
    const { current } = facts;
    if (current === null) return;
    const measure = () => {
      if (current.classList.contains('whole')) return;
      const texts = [...current.querySelectorAll('.record-title, dd')];
      setCut(texts.some(({ scrollHeight, clientHeight }) => scrollHeight > clientHeight));
    };
    const observer = new ResizeObserver(measure);
    observer.observe(current);
    return () => observer.disconnect();
  }, [content]);
  return isCut;
}

export function RecordTimes({ record }: { readonly record: RecordItem }) {
  const [created, updated] = [displayMoment(record.created_at), displayMoment(record.updated_at)];
  return (
    <p class="soft">
      <time dateTime={record.created_at}>{created}</time>
      {updated !== created && (
        <>
          , changed <time dateTime={record.updated_at}>{updated}</time>
        </>
      )}
    </p>
  );
}

/** The style of a state: the first one, a final one, or one in between. */
function stateTone({ states = {} }: Collection, { state }: RecordItem): string {
  if (Object.keys(states)[0] === state) return 'first';
  return Object.keys(states[state ?? ''] ?? {}).length === 0 ? 'last' : '';
}
