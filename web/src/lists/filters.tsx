import type { Collection } from '../api/types.ts';
import { t } from '../parts/words.ts';
import { isReadByEveryone, memberRoles } from '../records/roles.ts';
import type { ListView } from '../records/use-list.ts';
import type { ListChoice } from '../records/use-records.ts';
import { fieldsOfSchema, inWords } from '../schema/shape.ts';

/** The filters of a list as buttons that stay pressed, and its order. */
export function Filters({ view }: { readonly view: ListView }) {
  const { collection, choice, setChoice } = view;
  const states = Object.keys(collection.states ?? {});
  const whose = whoseOf(view);
  const isAll = choice.state === '' && choice.whose === whose[0]?.value;
  const sorts = ordersOf(view);
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset cannot scroll sideways
    <div class="filters" role="group" aria-label={t.list.filters}>
      <Chip
        isOn={isAll}
        label={t.list.all}
        onPress={() => setChoice({ ...choice, state: '', whose: whose[0]?.value ?? '' })}
      />
      {states.map((state) => (
        <Chip
          key={state}
          isOn={choice.state === state}
          label={inWords(state)}
          onPress={() => setChoice(withState(view, choice.state === state ? '' : state))}
        />
      ))}
      {whose.slice(1).map(({ value, label }) => (
        <Chip
          key={value}
          isOn={choice.whose === value}
          label={label}
          onPress={() =>
            setChoice({
              ...choice,
              whose: choice.whose === value ? (whose[0]?.value ?? '') : value,
              sort: byTime(choice.sort),
            })
          }
        />
      ))}
      <span class="gap" />
      <label class="order">
        <span class="hidden">{t.list.sort}</span>
        <select
          value={choice.q === '' ? choice.sort : '-created_at'}
          disabled={choice.q !== ''}
          onChange={(event) => setChoice(withSort(view, event.currentTarget.value))}
        >
          {sorts.map(({ value, label }) => (
            <option key={value} value={value}>
              {label}
            </option>
          ))}
        </select>
      </label>
    </div>
  );
}

interface ChipProps {
  readonly isOn: boolean;
  readonly label: string;
  onPress(): void;
}

function Chip({ isOn, label, onPress }: ChipProps) {
  return (
    <button type="button" class="chip" aria-pressed={isOn} onClick={onPress}>
      {label}
    </button>
  );
}

/** Whose records: where everyone can read, the service has a list of all, of one's own, and of those with a role. */
export function whoseOf({ collection, isUnder }: Pick<ListView, 'collection' | 'isUnder'>) {
  if (isUnder || !isReadByEveryone(collection)) return [{ value: '', label: t.list.all }];
  const roles = memberRoles(collection).map((role) => ({ value: role, label: inWords(role) }));
  return [{ value: '', label: t.list.all }, { value: 'mine', label: t.list.mine }, ...roles];
}

/** In everybody's list a filter by state allows only the order by time, and the other way round: the service has no other index. */
function withState({ choice, isEverybodys }: ListView, state: string): ListChoice {
  return isEverybodys && state !== ''
    ? { ...choice, state, sort: byTime(choice.sort) }
    : { ...choice, state };
}

function withSort({ choice, isEverybodys }: ListView, sort: string): ListChoice {
  return isEverybodys && byTime(sort) !== sort ? { ...choice, state: '', sort } : { ...choice, sort };
}

/** The given order if it is by time of creation, otherwise newest first. */
function byTime(sort: string): string {
  return sort.endsWith('created_at') ? sort : '-created_at';
}

/** A list with records of other owners can be sorted by time only. */
function ordersOf({ collection, choice, isEverybodys, isUnder }: ListView) {
  const labels = new Map(fieldsOfSchema(collection.schema).map(({ name, label }) => [name, label]));
  const isShared = memberRoles(collection).length > 0 && !isReadByEveryone(collection);
  const hasOthers = !isUnder && !isEverybodys && (isRole(collection, choice.whose) || isShared);
  const byField = (hasOthers ? [] : collection.index).flatMap((name) => [
    { value: name, label: t.list.upwards(labels.get(name) ?? name) },
    { value: `-${name}`, label: t.list.downwards(labels.get(name) ?? name) },
  ]);
  return [
    { value: '-created_at', label: t.list.newest },
    { value: 'created_at', label: t.list.oldest },
    ...byField,
  ];
}

function isRole(collection: Collection, whose: string): boolean {
  return memberRoles(collection).includes(whose);
}
