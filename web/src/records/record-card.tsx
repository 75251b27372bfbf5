import { useRef, useState } from 'preact/hooks';
import type { Problem } from '../api/client.ts';
import type { Collection, RecordItem } from '../api/types.ts';
import { BusyButton } from '../parts/busy-button.tsx';
import { useHouse } from '../parts/context.ts';
import { ProblemNotice } from '../parts/notice.tsx';
import { useAttempt } from '../parts/use-attempt.ts';
import { linkTo } from '../parts/use-route.ts';
import { inWords } from '../schema/shape.ts';
import { ActionDialog } from './action-dialog.tsx';
import { DeleteDialog } from './delete-dialog.tsx';
import { ifMatchFor } from './if-match.ts';
import { RecordFacts, RecordTimes } from './record-facts.tsx';
import { nameOf } from './record-name.ts';
import { type WeighedAction, weighActions } from './weigh-actions.ts';

interface RecordCardProps {
  readonly collection: Collection;
  readonly record: RecordItem;
  onChanged(record: RecordItem): void;
  onGone(id: string): void;
}

/** A record of one's own: its fields, its state, and what its owner may do with it now. */
export function RecordCard({ collection, record, onChanged, onGone }: RecordCardProps) {
  const { api, announce } = useHouse();
  const { problem, attempt } = useAttempt();
  const [isDeleting, setDeleting] = useState(false);
  const [asked, setAsked] = useState<WeighedAction | null>(null);
  const heading = useRef<HTMLHeadingElement>(null);
  const name = nameOf(collection, record);
  const actions = weighActions(collection, record);
  const isEditable = collection.editable?.includes(record.state ?? '') ?? true;

  const take = (action: string) =>
    attempt(async () => {
      const records = api.collection(collection.name);
      try {
        const now = await records.act(record.id, action, await ifMatchFor(api, collection, record));
        onChanged(now);
        announce(`It is ${inWords(String(now.state)).toLowerCase()} now.`);
        heading.current?.focus();
      } catch (error) {
        // Somebody was faster: show the record as it is now.
        if ((error as Problem).code === 'invalid_transition')
          await records.get(record.id).then(onChanged, () => {});
        throw error;
      }
    });

  /** A dialog gives the focus back to what opened it, and that button may be gone with the old state. */
  const takeAsked = async ({ name: action }: WeighedAction) => {
    await take(action);
    setAsked(null);
    setTimeout(() => document.activeElement === document.body && heading.current?.focus());
  };

  return (
    <li class="card record">
      <RecordFacts collection={collection} record={record} heading={heading} />
      {problem !== null && <ProblemNotice problem={problem} />}
      {(actions.length > 0 || isEditable) && (
        <div class="buttons">
          {actions.map((action) => (
            <BusyButton
              key={action.name}
              class={`small ${action.isMain ? 'primary' : ''}`}
              busyLabel="One moment…"
              about={name}
              onPress={async () => (action.isFinal ? setAsked(action) : take(action.name))}
            >
              {action.isFinal ? <Asking label={inWords(action.name)} /> : inWords(action.name)}
            </BusyButton>
          ))}
          {isEditable && (
            <a class="button small" href={linkTo('data', collection.name, record.id)}>
              Edit<span class="hidden"> {name}</span>
            </a>
          )}
        </div>
      )}
      <div class="record-foot">
        <RecordTimes record={record} />
        <button type="button" class="small quiet" onClick={() => setDeleting(true)}>
          <Asking label="Delete" />
          <span class="hidden"> {name}</span>
        </button>
      </div>
      {asked !== null && (
        <ActionDialog
          action={asked}
          name={name}
          onClose={() => setAsked(null)}
          onTake={() => takeAsked(asked)}
        />
      )}
      {isDeleting && (
        <DeleteDialog
          collection={collection}
          record={record}
          name={name}
          alternatives={actions.filter(({ isFinal }) => isFinal)}
          onClose={() => setDeleting(false)}
          onGone={onGone}
        />
      )}
    </li>
  );
}

/** The dots are a sign for the eyes that a question comes first. */
function Asking({ label }: { readonly label: string }) {
  return (
    <span>
      {label}
      <span aria-hidden="true">…</span>
    </span>
  );
}
