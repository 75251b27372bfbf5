import type { FieldValue, StoredRecord, UniqueValues } from '../storage/port.ts';
import type { Collection } from './collection.ts';

/** The values that no other record may have, in JSON; null: the rule does not apply in this state. */
export function uniqueKey(collection: Collection, index: number, record: StoredRecord): string | null {
  const rule = collection.unique[index];
  if (rule === undefined || (rule.states !== null && !rule.states.includes(record.state ?? ''))) return null;
  return JSON.stringify(valuesIn(collection, rule.fields, record));
}

function valuesIn(
  { parent }: Pick<Collection, 'parent'>,
  names: readonly string[],
  record: StoredRecord,
): readonly FieldValue[] {
  const fields: Readonly<Record<string, unknown>> = JSON.parse(record.body);
  return names.map((name) => {
    if (name === 'owner') return record.owner;
    const value = fields[name === 'parent' ? (parent?.field ?? '') : name];
    return typeof value === 'boolean' ? Number(value) : (value as FieldValue);
  });
}

/** The query for other records with the same values, in whatever state this one is; null: the values do not fit the schema. */
export function uniqueQuery(collection: Collection, rule: number, record: StoredRecord): UniqueValues | null {
  const { fields = [], states = null } = collection.unique[rule] ?? {};
  const values = valuesIn(collection, fields, record);
  const columns = uniqueColumns(collection, fields);
  if (!columns.every((column, index) => isOfKind(column, values[index]))) return null;
  return { collection: collection.name, rule, columns, values, states };
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
