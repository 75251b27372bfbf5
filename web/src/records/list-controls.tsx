import type { Collection } from '../api/types.ts';
import { fieldsOfSchema, inWords } from '../schema/shape.ts';
import { isReadByEveryone, memberRoles } from './roles.ts';
import { SearchBox } from './search-box.tsx';
import type { ListView } from './use-list.ts';

/** The search, the filters and the order of a list, as far as the collection declares them. */
export function ListControls({ view }: { readonly view: ListView }) {
  const { collection, choice, isEverybodys, isUnder, searchInput, setChoice: onChoose } = view;
  const states = Object.keys(collection.states ?? {});
  // In everybody's list a filter by state allows only the order by time: the service has no other index.
  const chooseState = (state: string) =>
    onChoose(
      isEverybodys && state !== '' ? { ...choice, state, sort: byTime(choice.sort) } : { ...choice, state },
    );
  const chooseSort = (sort: string) =>
    onChoose(isEverybodys && byTime(sort) !== sort ? { ...choice, state: '', sort } : { ...choice, sort });
  // Where everyone can read, the service lists own records and records with a role separately.
  const roles = isReadByEveryone(collection) && !isEverybodys && !isUnder ? memberRoles(collection) : [];
  const hasOthers =
    !isUnder && (choice.role !== '' || (!isReadByEveryone(collection) && memberRoles(collection).length > 0));
  // The service returns search results newest first only.
  const isSearching = choice.q !== '';
  return (
    <div class="controls">
      {collection.search !== undefined && !isEverybodys && (
        <SearchBox
          collection={collection}
          q={choice.q}
          input={searchInput}
          onSearch={(q) => onChoose({ ...choice, q })}
        />
      )}
      {roles.length > 0 && (
        <label>
          <span>You are</span>
          <select
            value={choice.role}
            onChange={(event) =>
              onChoose({ ...choice, role: event.currentTarget.value, sort: byTime(choice.sort) })
            }
          >
            <option value="">Owner</option>
            {roles.map((role) => (
              <option key={role} value={role}>
                {inWords(role)}
              </option>
            ))}
          </select>
        </label>
      )}
      {states.length > 0 && (
        <label>
          <span>State</span>
          <select value={choice.state} onChange={(event) => chooseState(event.currentTarget.value)}>
            <option value="">Every state</option>
            {states.map((state) => (
              <option key={state} value={state}>
                {inWords(state)}
              </option>
            ))}
          </select>
        </label>
      )}
      <label>
        <span>Order</span>
        <select
          value={isSearching ? newestFirst.value : choice.sort}
          disabled={isSearching}
          onChange={(event) => chooseSort(event.currentTarget.value)}
        >
          {ordersOf(collection, hasOthers).map(({ value, label }) => (
            <option key={value} value={value}>
              {label}
            </option>
          ))}
        </select>
      </label>
    </div>
  );
}

const newestFirst = { value: '-created_at', label: 'Newest first' };

/** The given order if it is by time of creation, otherwise newest first. */
function byTime(sort: string): string {
  return sort.endsWith('created_at') ? sort : '-created_at';
}

/** A list with records of other owners can be sorted by time only. */
function ordersOf({ index, schema }: Collection, hasOthers: boolean) {
  const labels = new Map(fieldsOfSchema(schema).map(({ name, label }) => [name, label]));
  const byField = (hasOthers ? [] : index).flatMap((name) => [
    { value: name, label: `${labels.get(name) ?? name}, ascending` },
    { value: `-${name}`, label: `${labels.get(name) ?? name}, descending` },
  ]);
  return [newestFirst, { value: 'created_at', label: 'Oldest first' }, ...byField];
}
