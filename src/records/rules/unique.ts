import type { Collection } from '../../collections/collection.ts';
import { uniqueColumns } from '../../collections/unique-columns.ts';
import type { FieldValue, StoredRecord, UniqueValues } from '../../storage/port.ts';
import { parentIdOf } from '../people-names.ts';
import { fieldsOf } from '../present.ts';

/** The values that no other record may have; null: the rule does not count in this state. */
export function uniqueKey(collection: Collection, index: number, record: StoredRecord): string | null {
  const values = uniqueValues(collection, index, record);
  return values === null ? null : JSON.stringify(values);
}

export function uniqueValues(
  collection: Collection,
  index: number,
  record: StoredRecord,
): readonly FieldValue[] | null {
  const rule = collection.unique[index];
  if (rule === undefined) return null;
  if (rule.states !== null && !rule.states.includes(record.state ?? '')) return null;
  const fields = fieldsOf(record);
  return rule.fields.map((name) => {
    if (name === 'owner') return record.owner;
    const value = name === 'parent' ? parentIdOf(collection, record) : fields[name];
    return typeof value === 'boolean' ? Number(value) : (value as FieldValue);
  });
}

/** How the storage finds the records that have the values of this one. */
export function uniqueQueries(collection: Collection, record: StoredRecord): readonly UniqueValues[] {
  return collection.unique.flatMap(({ fields, states }, rule) => {
    const values = uniqueValues(collection, rule, record);
    if (values === null) return [];
    return [
      { collection: collection.name, rule, columns: uniqueColumns(collection, fields), values, states },
    ];
  });
}
