import { useRef, useState } from 'preact/hooks';
import type { Outcome } from '../api/api.ts';
import type { Problem } from '../api/problem.ts';
import type { Collection, RecordItem } from '../api/types.ts';
import { BusyButton } from '../parts/busy-button.tsx';
import { useHouse } from '../parts/context.ts';
import { ProblemNotice } from '../parts/notice.tsx';
import { linkTo } from '../parts/use-route.ts';
import { display, displayMoment } from '../schema/display.ts';
import { fieldsOfSchema, inWords } from '../schema/shape.ts';
import { DeleteDialog } from './delete-dialog.tsx';
import { versionOf } from './version.ts';

interface RecordCardProps {
  readonly collection: Collection;
  readonly record: RecordItem;
  onChanged(record: RecordItem): void;
  onGone(id: string): void;
}

/** A record: its fields, its state, and what this person may do with it now. */
export function RecordCard({ collection, record, onChanged, onGone }: RecordCardProps) {
  const { api, announce } = useHouse();
  const [problem, setProblem] = useState<Problem | null>(null);
  const [isDeleting, setDeleting] = useState(false);
  const heading = useRef<HTMLHeadingElement>(null);
  const [title, ...rest] = fieldsOfSchema(collection.schema);
  const name = title === undefined ? record.id : display(title.shape, record[title.name]);
  const given = rest.filter((field) => record[field.name] !== undefined);
  const isEditable = collection.editable?.includes(record.state ?? '') ?? true;

  const take = async (action: string) => {
    setProblem(null);
    const path = `/${collection.name}/${record.id}`;
    const version = await versionOf(api, collection, record);
    const outcome: Outcome<RecordItem> = version.ok
      ? await api.post(`${path}/${action}`, { headers: version.body })
      : version;
    if (outcome.ok) {
      onChanged(outcome.body);
      announce(`It is ${inWords(String(outcome.body.state)).toLowerCase()} now.`);
      return heading.current?.focus();
    }
    setProblem(outcome.problem);
    // Somebody was faster: show the record as it is now.
    if (outcome.problem.code === 'invalid_transition') {
      const now = await api.get<RecordItem>(path);
      if (now.ok) onChanged(now.body);
    }
  };

  return (
    <li class="card record">
      <div class="record-head">
        <h2 ref={heading} class="record-title" tabIndex={-1}>
          {name}
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
      {problem !== null && <ProblemNotice problem={problem} />}
      <div class="record-foot">
        <p class="soft">
          <time dateTime={record.created_at}>{displayMoment(record.created_at)}</time>
          {record.updated_at !== record.created_at && (
            <>
              , changed <time dateTime={record.updated_at}>{displayMoment(record.updated_at)}</time>
            </>
          )}
        </p>
        <div class="buttons">
          {record.actions?.map((action) => (
            <BusyButton
              key={action}
              class="small"
              busyLabel="One moment…"
              about={name}
              onPress={() => take(action)}
            >
              {inWords(action)}
            </BusyButton>
          ))}
          {isEditable && (
            <a class="button small" href={linkTo('data', collection.name, record.id)}>
              Edit<span class="hidden"> {name}</span>
            </a>
          )}
          <button type="button" class="small quiet" onClick={() => setDeleting(true)}>
            Delete<span class="hidden"> {name}</span>
          </button>
        </div>
      </div>
      {isDeleting && (
        <DeleteDialog
          collection={collection}
          record={record}
          name={name}
          onClose={() => setDeleting(false)}
          onGone={onGone}
        />
      )}
    </li>
  );
}

/** The state that records begin in, those from which nothing leads on, and those between. */
function stateTone({ states = {} }: Collection, { state = '' }: RecordItem): string {
  if (Object.keys(states)[0] === state) return 'first';
  return Object.keys(states[state] ?? {}).length === 0 ? 'last' : '';
}
