import type { Overview } from './overview.ts';

export type { Overview };

/** The answers of the API, as far as this page uses them. */

export type Schema = Readonly<Record<string, unknown>>;

type Described = Overview['collections'][number];
export interface Collection extends Described {
  /** The collections whose records are under its own; set by the page. */
  readonly children?: readonly Collection[];
  /** Its cards of people, or those of its root; set by the page. */
  readonly namedBy?: Cards;
}

export interface Cards {
  readonly collection: string;
  /** Its field with the name. */
  readonly name: string;
  /** The collection above the cards, and their field with the id of its record. */
  readonly above: string;
  readonly field: string;
}

export interface RecordItem {
  readonly id: string;
  /** Null: the record is older than the states of its collection. */
  readonly state?: string | null;
  readonly actions?: readonly string[];
  /** The roles of the caller; shared collections only. */
  readonly roles?: readonly string[];
  readonly created_at: string;
  readonly updated_at: string;
  readonly [field: string]: unknown;
}

/** The members of a record that the service adds. */
function ownMembers({ roles, aliases }: Collection): readonly string[] {
  const shared = roles === undefined ? [] : ['roles'];
  const people = aliases ? ['owner', 'people'] : [];
  return ['id', 'state', 'actions', 'created_at', 'updated_at', 'counts', ...shared, ...people];
}

export function fieldsOf(collection: Collection, record: RecordItem): Record<string, unknown> {
  const own = ownMembers(collection);
  return Object.fromEntries(Object.entries(record).filter(([name]) => !own.includes(name)));
}
