import { readFileSync } from 'node:fs';

/**
 * The statements of docs/scale.md below a heading, so that what is printed there is what was tried. They have variables as psql
 * has them (`:name`).
 */
export function documentedStatements(
  heading: string,
  variables: Readonly<Record<string, number>>,
): readonly string[] {
  const text = readFileSync(new URL('../../../docs/scale.md', import.meta.url), 'utf8');
  const [, section] = text.split(`### ${heading}\n`);
  const block = /```sql\n([\s\S]*?)```/.exec(section ?? '')?.[1];
  if (block === undefined) throw new Error(`docs/scale.md has no statements below "${heading}"`);
  const filled = block
    .replaceAll(/--.*$/gm, '')
    .replaceAll(/(?<![:\w]):([a-z]+)/g, (_, name) => String(variables[name] ?? _));
  return filled
    .split(';')
    .map((statement) => statement.trim())
    .filter((statement) => statement !== '');
}

/** The log in so many parts of the same size, and one more for what comes. */
export function eventsInParts(count: number, parts: number): readonly string[] {
  const size = Math.ceil(count / parts);
  const bounds = Array.from({ length: parts + 1 }, (_, part) => part * size);
  return [
    'alter table events rename to former_events',
    'create table events (like former_events) partition by range (position)',
    'alter table events add primary key (position)',
    ...bounds.map((from, part) => {
      const to = part === parts ? 'maxvalue' : String(from + size);
      return `create table day_${part} partition of events for values from (${from}) to (${to})`;
    }),
    'insert into events select * from former_events',
    'alter table deliveries drop constraint deliveries_position_fkey',
    'drop table former_events',
    'create index events_owner on events (substr(owner, 5, 8), position)',
    `alter table deliveries add constraint deliveries_position_fkey
       foreign key (position) references events (position) on delete cascade`,
    'vacuum analyze events',
  ];
}

/** Records in so many parts, by the hash of a column. */
export function recordsInParts(
  by: 'id' | 'owner',
  parts: number,
  indexes: readonly string[],
): readonly string[] {
  const key = by === 'id' ? 'collection, id' : 'collection, id, owner';
  return [
    'alter table records rename to former_records',
    `create table records (like former_records) partition by hash (${by})`,
    ...Array.from(
      { length: parts },
      (_, part) =>
        `create table records_${by}_${part} partition of records for values with (modulus ${parts}, remainder ${part})`,
    ),
    'insert into records select * from former_records',
    'drop table former_records',
    `alter table records add constraint records_key primary key (${key})`,
    ...indexes,
    'vacuum analyze records',
  ];
}
