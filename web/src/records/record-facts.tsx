import type { Ref } from 'preact';
import type { Collection, RecordItem } from '../api/types.ts';
import { display, displayMoment } from '../schema/display.ts';
import { fieldsOfSchema, inWords } from '../schema/shape.ts';
import { nameOf } from './record-name.ts';

interface RecordFactsProps {
  readonly collection: Collection;
  readonly record: RecordItem;
  /** To be focused by whoever draws the record. */
  readonly heading?: Ref<HTMLHeadingElement>;
}

/** What a record says, whoever it belongs to: its name, its state and its fields. */
export function RecordFacts({ collection, record, heading = null }: RecordFactsProps) {
  const [, ...rest] = fieldsOfSchema(collection.schema);
  const given = rest.filter((field) => record[field.name] !== undefined);
  return (
    <>
      <div class="record-head">
        <h2 ref={heading} class="record-title" tabIndex={-1}>
          {nameOf(collection, record)}
        </h2>
        {record.state !== undefined && (
          <span class={`state ${stateTone(collection, record)}`}>{inWords(record.state)}</span>
        )}
      </div>
      {given.length > 0 && (
        <dl class="fields">
          {given.map((field) => (
            <div key={field.name}>
              <dt>{field.label}</dt>
              <dd>{display(field.shape, record[field.name])}</dd>
            </div>
          ))}
        </dl>
      )}
    </>
  );
}

export function RecordTimes({ record }: { readonly record: RecordItem }) {
  return (
    <p class="soft">
      <time dateTime={record.created_at}>{displayMoment(record.created_at)}</time>
      {record.updated_at !== record.created_at && (
        <>
          , changed <time dateTime={record.updated_at}>{displayMoment(record.updated_at)}</time>
        </>
      )}
    </p>
  );
}

/** The state that records begin in, those from which nothing leads on, and those between. */
function stateTone({ states = {} }: Collection, { state = '' }: RecordItem): string {
  if (Object.keys(states)[0] === state) return 'first';
  return Object.keys(states[state] ?? {}).length === 0 ? 'last' : '';
}
