import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { Collection, RecordItem } from '../api/types.ts';
import { planOf } from '../lists/plan.ts';
import { Short } from '../lists/short.tsx';
import { State } from '../lists/state.tsx';
import { hasInput, useDeeds } from '../lists/use-deeds.tsx';
import { BusyButton } from '../parts/busy-button.tsx';
import { Icon } from '../parts/icons.tsx';
import { Menu, type MenuItem } from '../parts/menu.tsx';
import { ProblemNotice } from '../parts/notice.tsx';
import { linkTo } from '../parts/use-route.ts';
import { t } from '../parts/words.ts';
import { Who } from '../people/who.tsx';
import { display, displayMoment } from '../schema/display.ts';
import { inWords } from '../schema/shape.ts';
import { singularOf } from './collection-words.ts';
import { countsOf, ownFields } from './family.ts';
import { InviteDialog } from './invite-dialog.tsx';
import { LeaveDialog } from './leave-dialog.tsx';
import { nameOf } from './record-name.ts';
import { invitableRoles, mayChange, mayLeave, rolesInWords } from './roles.ts';
import { weighActions } from './weigh-actions.ts';

interface RecordHeadProps {
  readonly collection: Collection;
  readonly record: RecordItem;
  onChanged(record: RecordItem): void;
  onGone(id: string): void;
}

/** The state and the most telling fields of a record in a line, and what the caller may do with it now. */
export function RecordHead({ collection, record, onChanged, onGone }: RecordHeadProps) {
  const deeds = useDeeds(collection, { onChanged, onGone });
  const [open, setOpen] = useState<'invite' | 'leave' | null>(null);
  const { fields, tick } = planOf(collection);
  const name = nameOf(collection, record);
  const actions = weighActions(collection, record);
  const isEditable = mayChange(collection, record, 'update');
  const close = () => setOpen(null);
  const buttons = useRef<HTMLDivElement>(null);
  const wasIn = useRef(record.state);
  // The button of an action goes with it: the next one has its place, and the focus.
  useLayoutEffect(() => {
    if (wasIn.current !== record.state && document.activeElement === document.body)
      buttons.current?.querySelector<HTMLElement>('button, a')?.focus({ preventScroll: true });
    wasIn.current = record.state;
  }, [record.state]);
  return (
    <div class="record-head">
      <p class="record-line">
        <State collection={collection} record={record} />
        {fields.slice(0, 3).map(({ name: field, shape }) => (
          <span key={field}>
            <Short shape={shape} value={record[field]} />
          </span>
        ))}
        <Owner collection={collection} record={record} />
        {Object.entries((record.people ?? {}) as Readonly<Record<string, string>>).map(([role, alias]) => (
          <span key={role} class="who">
            <span class="soft">{inWords(role)}</span>
            <Who alias={alias} isMe={record.roles?.includes(role) ?? false} />
          </span>
        ))}
      </p>
      {deeds.problem !== null && <ProblemNotice problem={deeds.problem} collection={collection} />}
      <div ref={buttons} class="buttons">
        {actions.map((action) => (
          <BusyButton
            key={action.name}
            class={action.isMain ? 'primary' : ''}
            busyLabel={t.moment}
            onPress={() => deeds.take(record, action)}
          >
            {inWords(action.name)}
            {(hasInput(action) || action.isFinal) && '…'}
          </BusyButton>
        ))}
        {tick !== null && isEditable && (
          <label class="tick-label">
            <input
              type="checkbox"
              class="tick"
              checked={record[tick.name] === true}
              onChange={(event) => {
                event.currentTarget.checked = record[tick.name] === true;
                void deeds.tick(record, tick.name);
              }}
            />
            {tick.label}
          </label>
        )}
        {isEditable && (
          <a class="button" href={linkTo('data', collection.name, record.id)}>
            {t.edit}
          </a>
        )}
        {invitableRoles(collection, record).length > 0 && (
          <button type="button" onClick={() => setOpen('invite')}>
            <Icon name="share" size={16} />
            {t.people.invite}
          </button>
        )}
        <Menu
          label={t.more(name)}
          button={<Icon name="dots" />}
          items={() => [
            ...(mayLeave(collection, record)
              ? [{ label: `${t.people.leave}…`, isBad: true, onChoose: () => setOpen('leave') }]
              : []),
            ...deleteItem(collection, record, () => deeds.askDelete(record)),
            { label: t.list.copyLink, onChoose: () => void deeds.copyLink(record) },
          ]}
        />
      </div>
      {deeds.dialogs}
      {open === 'invite' && (
        <InviteDialog collection={collection} record={record} name={name} onClose={close} />
      )}
      {open === 'leave' && (
        <LeaveDialog
          collection={collection}
          record={record}
          name={name}
          onClose={close}
          onChanged={onChanged}
          onGone={onGone}
        />
      )}
    </div>
  );
}

function deleteItem(collection: Collection, record: RecordItem, onChoose: () => void): readonly MenuItem[] {
  if (!mayChange(collection, record, 'delete')) return [];
  return [{ label: `${t.deleteOne(singularOf(collection))}…`, isBad: true, onChoose }];
}

/** Whose it is, or what the caller is in it. */
function Owner({ collection, record }: Pick<RecordHeadProps, 'collection' | 'record'>) {
  const isMine = record.roles?.includes('owner') ?? false;
  const hasOwner = typeof record.owner === 'string';
  // The words for a record under another one name its owner, too.
  const roles = hasOwner && (isMine || collection.parent) ? null : rolesInWords(collection, record);
  return (
    <>
      {hasOwner && <Who alias={String(record.owner)} isMe={isMine} />}
      {roles !== null && <span class="soft">{roles}</span>}
    </>
  );
}

/** All fields with a value, in the order of the schema, and when the record was made. */
export function Details({ collection, record }: Pick<RecordHeadProps, 'collection' | 'record'>) {
  const { title } = planOf(collection);
  const given = ownFields(collection).filter(
    ({ name }) => name !== title?.name && record[name] !== undefined,
  );
  const counts = countsOf(collection, record);
  return (
    <section class="card details" aria-labelledby="details">
      <h2 id="details">{t.record.details}</h2>
      <dl class="fields">
        {given.map(({ name, label, shape }) => (
          <div key={name}>
            <dt>{label}</dt>
            <dd>{display(shape, record[name])}</dd>
          </div>
        ))}
        {counts.map(({ label, text }) => (
          <div key={label}>
            <dt>{label}</dt>
            <dd>{text}</dd>
          </div>
        ))}
        <div>
          <dt>{t.record.created}</dt>
          <dd>
            <time dateTime={record.created_at}>{displayMoment(record.created_at)}</time>
          </dd>
        </div>
        {displayMoment(record.updated_at) !== displayMoment(record.created_at) && (
          <div>
            <dt>{t.record.changed}</dt>
            <dd>
              <time dateTime={record.updated_at}>{displayMoment(record.updated_at)}</time>
            </dd>
          </div>
        )}
      </dl>
    </section>
  );
}
