import type { Collection, RecordItem } from '../api/types.ts';
import { Icon } from '../parts/icons.tsx';
import { Menu, type MenuItem } from '../parts/menu.tsx';
import { goTo, linkTo } from '../parts/use-route.ts';
import { t } from '../parts/words.ts';
import { Who } from '../people/who.tsx';
import { singularOf } from '../records/collection-words.ts';
import { nameOf } from '../records/record-name.ts';
import { isReadByEveryone, mayChange } from '../records/roles.ts';
import type { Selection } from '../records/use-selection.ts';
import { weighActions } from '../records/weigh-actions.ts';
import { type Field, inWords } from '../schema/shape.ts';
import { firstActionOf } from './first-action.ts';
import { Places } from './places.tsx';
import { isLastState, planOf } from './plan.ts';
import { Short } from './short.tsx';
import { State } from './state.tsx';
import { type Deeds, hasInput } from './use-deeds.tsx';

export interface RowProps {
  readonly collection: Collection;
  readonly record: RecordItem;
  /** The names of people in the list, where two have the same words. */
  readonly names: ReadonlyMap<string, string>;
  readonly deeds: Deeds;
  readonly selection: Selection;
  /** The row that Tab reaches. */
  readonly isCurrent: boolean;
  readonly at: number;
}

/** So many fields stand in a row. */
const fieldsInRow = 3;

export function Row(props: RowProps) {
  const { collection, record, at } = props;
  const { fields } = planOf(collection);
  return (
    <li class={rowClass(props)} data-at={at}>
      <Box {...props} />
      <Title {...props} />
      <span class="under">
        <State collection={collection} record={record} />
        <span class="row-fields">
          {fields.slice(0, fieldsInRow).map((field) => (
            <span key={field.name} class="cut">
              <Short shape={field.shape} value={record[field.name]} />
            </span>
          ))}
          <Places collection={collection} record={record} />
          {isYours(collection, record) && <span class="tag">{t.row.yours}</span>}
          <Owner {...props} />
        </span>
      </span>
      <FirstAction {...props} />
      <RowMenu {...props} />
    </li>
  );
}

/** Where everybody's records stand in one list, which has no people: an alias differs from record to record. */
function isYours(collection: Collection, { roles, owner }: RecordItem): boolean {
  return isReadByEveryone(collection) && owner === undefined && (roles?.includes('owner') ?? false);
}

export function rowClass({ collection, record, selection, deeds }: RowProps): string {
  const { tick } = planOf(collection);
  const classes = [
    'row',
    isLastState(collection, record) && 'last',
    tick !== null && record[tick.name] === true && 'done',
    selection.has(record.id) && 'selected',
    deeds.problem !== null && deeds.about === record.id && 'refused',
  ];
  return classes.filter(Boolean).join(' ');
}

/** Selects, where records are selected; else it changes the first boolean field. */
export function Box({ collection, record, selection, deeds, isCurrent }: RowProps) {
  const { tick } = planOf(collection);
  const tabIndex = isCurrent ? 0 : -1;
  const name = nameOf(collection, record);
  if (selection.isOn)
    return (
      <input
        type="checkbox"
        class="tick"
        tabIndex={tabIndex}
        aria-label={t.list.selectOne(name)}
        checked={selection.has(record.id)}
        disabled={!selection.has(record.id) && selection.isFull}
        onChange={() => selection.toggle(record)}
      />
    );
  if (!mayTick(collection, record, tick)) return <span class="tick-place" />;
  return (
    <input
      type="checkbox"
      class="tick"
      tabIndex={tabIndex}
      aria-label={t.list.ticks(tick.label, name)}
      checked={record[tick.name] === true}
      onChange={(event) => {
        // It is ticked once the service has it.
        event.currentTarget.checked = record[tick.name] === true;
        void deeds.tick(record, tick.name);
      }}
    />
  );
}

export function mayTick(collection: Collection, record: RecordItem, tick: Field | null): tick is Field {
  return tick !== null && mayChange(collection, record, 'update');
}

/** True if the record is called after its owner. */
function isPersonNamed(collection: Collection, record: RecordItem): boolean {
  const { title } = planOf(collection);
  return typeof record.owner === 'string' && (title === null || record[title.name] === undefined);
}

/** Whose the record is, where its list says so. */
export function Owner({ collection, record, names }: RowProps) {
  if (typeof record.owner !== 'string' || isPersonNamed(collection, record)) return null;
  const isMe = record.roles?.includes('owner') ?? false;
  return <Who alias={record.owner} name={names.get(record.owner)} isMe={isMe} />;
}

/** `text`: instead of the name. */
export function Title({ collection, record, names, isCurrent, text }: RowProps & { readonly text?: string }) {
  const isPerson = isPersonNamed(collection, record);
  return (
    <a
      class="row-title cut"
      href={linkTo('data', collection.name, record.id, 'open')}
      tabIndex={isCurrent ? 0 : -1}
    >
      {isPerson ? (
        <Who
          alias={String(record.owner)}
          name={names.get(String(record.owner))}
          isMe={record.roles?.includes('owner') ?? false}
        />
      ) : (
        (text ?? nameOf(collection, record))
      )}
    </a>
  );
}

export function FirstAction({ collection, record, deeds, selection, isCurrent }: RowProps) {
  const action = selection.isOn ? null : firstActionOf(collection, record);
  if (action === null) return <span class="act-place" />;
  const leadsBack = isLastState(collection, record);
  return (
    <button
      type="button"
      class={`small act ${leadsBack ? 'quiet' : ''}`}
      tabIndex={isCurrent ? 0 : -1}
      onClick={() => void deeds.take(record, action)}
    >
      {inWords(action.name)}
      {hasInput(action) && '…'}
      <span class="hidden"> {nameOf(collection, record)}</span>
    </button>
  );
}

export function RowMenu(props: RowProps) {
  const { collection, record, isCurrent } = props;
  return (
    <Menu
      label={t.more(nameOf(collection, record))}
      button={<Icon name="dots" />}
      tabIndex={isCurrent ? 0 : -1}
      items={() => menuOf(props)}
    />
  );
}

/** Open, edit, the other actions, the link, selecting; below a line what ends the record. */
function menuOf({ collection, record, deeds, selection }: RowProps): readonly MenuItem[] {
  const first = firstActionOf(collection, record)?.name;
  const at = ['data', collection.name, record.id];
  const others = weighActions(collection, record).filter(({ name }) => name !== first);
  const items: MenuItem[] = [{ label: t.list.open, shortcut: '↵', onChoose: () => goTo(...at, 'open') }];
  if (mayChange(collection, record, 'update'))
    items.push({ label: t.edit, shortcut: 'E', onChoose: () => goTo(...at) });
  for (const action of others)
    items.push({
      label: `${inWords(action.name)}${hasInput(action) ? '…' : ''}`,
      onChoose: () => void deeds.take(record, action),
    });
  items.push({ label: t.list.copyLink, onChoose: () => void deeds.copyLink(record) });
  if (!selection.isOn)
    items.push({
      label: t.list.select,
      shortcut: 'X',
      onChoose: () => {
        selection.begin();
        selection.toggle(record);
      },
    });
  if (mayChange(collection, record, 'delete'))
    items.push({
      label: `${t.deleteOne(singularOf(collection))}…`,
      shortcut: '⌦',
      isBad: true,
      onChoose: () => deeds.askDelete(record),
    });
  return items;
}
