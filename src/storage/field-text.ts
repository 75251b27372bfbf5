import type { FieldValue, IndexedField } from './port.ts';

/** PostgreSQL refuses an index entry of more than 2,704 bytes, so an index holds only the beginning of a text. */
const longestText = 500;

/** A name as declarations allow it. It is written into SQL, where a path in JSON has no escape that both databases know. */
const plainName = /^[A-Za-z][A-Za-z0-9_]{0,62}$/;

/** A field of the body as SQL, the same text for indexes and queries. It has a value for any body. */
export function fieldText(engine: 'sqlite' | 'postgres', { name, kind }: IndexedField): string {
  if (!plainName.test(name)) throw new TypeError('the name of an indexed field is not plain');
  return engine === 'postgres' ? postgresTexts[kind](name) : sqliteTexts[kind](`'$."${name}"'`);
}

type Texts = Readonly<Record<IndexedField['kind'], (name: string) => string>>;

const sqliteTexts: Texts = {
  text: (path) =>
    `(case json_type(body, ${path}) when 'text' then substr(json_extract(body, ${path}), 1, ${longestText}) else '' end)`,
  number: (path) =>
    `(case when json_type(body, ${path}) in ('integer', 'real') then json_extract(body, ${path}) else 0 end)`,
  boolean: (path) => `(case json_type(body, ${path}) when 'true' then 1 else 0 end)`,
};

/** PostgreSQL evaluates the sort expression again for each record of a page; `json` takes a third less than `jsonb`. */
const postgresTexts: Texts = {
  text: (name) =>
    `((case json_typeof(body::json -> '${name}') when 'string' then left(body::json ->> '${name}', ${longestText}) else '' end) collate "C")`,
  number: (name) =>
    `(case json_typeof(body::json -> '${name}') when 'number' then (body::json ->> '${name}')::double precision else 0 end)`,
  boolean: (name) => `(case (body::json -> '${name}')::text when 'true' then 1 else 0 end)`,
};

/** A value to compare with, cut like the texts in the index. */
export function comparable(value: FieldValue): FieldValue {
  if (typeof value === 'number' || value.length <= longestText) return value;
  return [...value].slice(0, longestText).join('');
}

/** A text as a literal of SQL. */
export function quoted(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}
