import type { FieldValue, StoredRecord, UniqueValues } from '../storage/port.ts';
import type { Collection } from './collection.ts';

/** The values that no other record may have; null: the rule does not apply in this state. */
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
  const fields: Readonly<Record<string, unknown>> = JSON.parse(record.body);
  return rule.fields.map((name) => {
    if (name === 'owner') return record.owner;
    const value = fields[name === 'parent' ? (collection.parent?.field ?? '') : name];
    return typeof value === 'boolean' ? Number(value) : (value as FieldValue);
  });
}

/** The values by which the storage finds conflicting records. Values that do not fit the schema are refused later. */
export function uniqueQueries(collection: Collection, record: StoredRecord): readonly UniqueValues[] {
  return collection.unique.flatMap(({ fields, states }, rule) => {
    const values = uniqueValues(collection, rule, record);
    const columns = uniqueColumns(collection, fields);
    if (values === null || !columns.every((column, index) => isOfKind(column, values[index]))) return [];
    return [{ collection: collection.name, rule, columns, values, states }];
  });
}

function isOfKind(column: UniqueValues['columns'][number], value: unknown): boolean {
  if (column === 'owner' || column.kind === 'text') return typeof value === 'string';
  return Number.isFinite(value);
}

/** The columns and fields of a unique rule. */
export function uniqueColumns(
  { parent, schema }: Pick<Collection, 'parent' | 'schema'>,
  fields: readonly string[],
): UniqueValues['columns'] {
  const properties = schema.properties as Readonly<Record<string, { readonly type?: unknown }>>;
  return fields.map((name) => {
    if (name === 'owner') return name;
    if (name === 'parent') return { name: parent?.field ?? '', kind: 'text' };
    const { type } = properties[name] ?? {};
    return { name, kind: type === 'boolean' ? 'boolean' : type === 'string' ? 'text' : 'number' };
  });
}
