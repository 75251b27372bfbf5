import { useRef, useState } from 'preact/hooks';
import type { Problem } from '../api/client.ts';
import type { Collection, RecordItem } from '../api/types.ts';
import { BusyButton } from '../parts/busy-button.tsx';
import { useApp } from '../parts/context.ts';
import { ProblemNotice } from '../parts/notice.tsx';
import { useAttempt } from '../parts/use-attempt.ts';
import { linkTo } from '../parts/use-route.ts';
import { inWords } from '../schema/shape.ts';
import { ActionDialog } from './action-dialog.tsx';
import { ActionForm } from './action-form.tsx';
import { DeleteDialog } from './delete-dialog.tsx';
import { homeOf } from './family.ts';
import { ifMatchFor } from './if-match.ts';
import { LeaveButton } from './leave-button.tsx';
import { RecordFacts, RecordTimes } from './record-facts.tsx';
import { nameOf } from './record-name.ts';
import { RecordPeople } from './record-people.tsx';
import { invitableRoles, mayChange, mayLeave, seesMembers } from './roles.ts';
import { type WeighedAction, weighActions } from './weigh-actions.ts';

interface RecordCardProps {
  readonly collection: Collection;
  readonly record: RecordItem;
  /** Called after an invitation was made; given only on the screen of the members. */
  readonly onInvited?: () => void;
  /** Heading level: 1 on the screen of the record, 3 in a list under another record. */
  readonly level?: 1 | 2 | 3;
  onChanged(record: RecordItem): void;
  onGone(id: string): void;
}

/** A record with its fields, its state, and buttons for what the caller may do now. */
export function RecordCard(props: RecordCardProps) {
  const { collection, record, onInvited, level = 2, onChanged, onGone } = props;
  const { api, announce } = useApp();
  const { problem, attempt } = useAttempt();
  const [isDeleting, setDeleting] = useState(false);
  const [asked, setAsked] = useState<WeighedAction | null>(null);
  const heading = useRef<HTMLHeadingElement>(null);
  const name = nameOf(collection, record);
  const actions = weighActions(collection, record);
  const mayInvite = invitableRoles(collection, record).length > 0;
  const hasPeople = mayInvite || (onInvited === undefined && seesMembers(collection, record));
  const { parent, children = [], history } = collection;
  // The screen of the record shows both, and needs no link to itself.
  const hasChildren = level !== 1 && children.length > 0;
  const hasHistory = level !== 1 && history === true;
  const isElsewhere = parent !== undefined && level === 2;
  const focusTitle = () => (heading.current ?? document.querySelector<HTMLElement>('main h1'))?.focus();
  const isEditable = mayChange(collection, record, 'update');

  const act = async ({ name: action }: WeighedAction, input?: Record<string, unknown>) => {
    const records = api.collection(collection.name);
    try {
      const now = await records.act(record.id, action, input, await ifMatchFor(api, collection, record));
      onChanged(now);
      announce(`It is ${inWords(String(now.state)).toLowerCase()} now.`);
      focusTitle();
    } catch (error) {
      // Another person was faster: show the record as it is now.
      if ((error as Problem).code === 'invalid_transition')
        await records.get(record.id).then(onChanged, () => {});
      throw error;
    }
  };
  const take = (action: WeighedAction) => attempt(() => act(action));

  /** The button that opened the dialog may be gone in the new state: then the title gets the focus. */
  const closeAsked = () => {
    setAsked(null);
    setTimeout(() => document.activeElement === document.body && focusTitle());
  };

  return (
    <li class="card record">
      <RecordFacts collection={collection} record={record} heading={heading} level={level} />
      {problem !== null && <ProblemNotice problem={problem} />}
      {(actions.length > 0 || isEditable || hasPeople || hasChildren || hasHistory || isElsewhere) && (
        <div class="buttons">
          {hasChildren && (
            <a class="button small" href={linkTo('data', collection.name, record.id, 'open')}>
              {children.map(({ title }) => title).join(', ')}
              <span class="hidden"> of {name}</span>
            </a>
          )}
          {isElsewhere && (
            <a class="button small" href={linkTo(...homeOf(collection, record))}>
              Go to {inWords(parent.field).toLowerCase()}
              <span class="hidden"> of {name}</span>
            </a>
          )}
          {actions.map((action) => (
            <BusyButton
              key={action.name}
              class={`small ${action.isMain ? 'primary' : ''}`}
              busyLabel="One moment…"
              about={name}
              onPress={async () => (isAsking(action) ? setAsked(action) : take(action))}
            >
              {isAsking(action) ? <Asking label={inWords(action.name)} /> : inWords(action.name)}
            </BusyButton>
          ))}
          {isEditable && (
            <a class="button small" href={linkTo('data', collection.name, record.id)}>
              Edit<span class="hidden"> {name}</span>
            </a>
          )}
          <RecordPeople collection={collection} record={record} name={name} onInvited={onInvited} />
          {hasHistory && (
            <a class="button small" href={linkTo('data', collection.name, record.id, 'open')}>
              History<span class="hidden"> of {name}</span>
            </a>
          )}
        </div>
      )}
      <div class="record-foot">
        <RecordTimes record={record} />
        {mayChange(collection, record, 'delete') && (
          <button type="button" class="small quiet" onClick={() => setDeleting(true)}>
            <Asking label="Delete" />
            <span class="hidden"> {name}</span>
          </button>
        )}
        {mayLeave(collection, record) && (
          <LeaveButton
            collection={collection}
            record={record}
            name={name}
            onChanged={onChanged}
            onGone={onGone}
          />
        )}
      </div>
      {asked !== null && hasInput(asked) && (
        <ActionForm
          collection={collection}
          record={record}
          action={asked}
          name={name}
          onClose={closeAsked}
          onTake={(input) => act(asked, input).then(closeAsked)}
        />
      )}
      {asked !== null && !hasInput(asked) && (
        <ActionDialog
          action={asked}
          name={name}
          onClose={closeAsked}
          onTake={() => take(asked).then(closeAsked)}
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

function hasInput({ sets, isChoosing }: WeighedAction): boolean {
  return sets.length > 0 || isChoosing;
}

/** True if a dialog comes before the action. */
function isAsking(action: WeighedAction): boolean {
  return action.isFinal || hasInput(action);
}

/** The dots show that a dialog follows. Screen readers skip them. */
function Asking({ label }: { readonly label: string }) {
  return (
    <span>
      {label}
      <span aria-hidden="true">…</span>
    </span>
  );
}
