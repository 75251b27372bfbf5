import type { Collection } from '../api/types.ts';
import { fieldsOfSchema, inWords } from '../schema/shape.ts';
import type { ListChoice } from './use-records.ts';

interface ListControlsProps {
  readonly collection: Collection;
  readonly choice: ListChoice;
  onChoose(choice: ListChoice): void;
}

/** Which records, in which order: as far as the collection declares something to choose by. */
export function ListControls({ collection, choice, onChoose }: ListControlsProps) {
  const states = Object.keys(collection.states ?? {});
  return (
    <div class="controls">
      {states.length > 0 && (
        <label>
          <span>State</span>
          <select
            value={choice.state}
            onChange={(event) => onChoose({ ...choice, state: event.currentTarget.value })}
          >
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
          value={choice.sort}
          onChange={(event) => onChoose({ ...choice, sort: event.currentTarget.value })}
        >
          {ordersOf(collection).map(({ value, label }) => (
            <option key={value} value={value}>
              {label}
            </option>
          ))}
        </select>
      </label>
    </div>
  );
}

function ordersOf({ index, schema }: Collection) {
  const labels = new Map(fieldsOfSchema(schema).map(({ name, label }) => [name, label]));
  const byField = index.flatMap((name) => [
    { value: name, label: `${labels.get(name) ?? name}, ascending` },
    { value: `-${name}`, label: `${labels.get(name) ?? name}, descending` },
  ]);
  return [
    { value: '-created_at', label: 'Newest first' },
    { value: 'created_at', label: 'Oldest first' },
    ...byField,
  ];
}
