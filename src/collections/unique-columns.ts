import type { UniqueValues } from '../storage/port.ts';
import type { Collection } from './collection.ts';

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
