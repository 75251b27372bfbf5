/** What the API answers with, as far as this page makes use of it. */

export type Schema = Readonly<Record<string, unknown>>;

export interface Collection {
  readonly name: string;
  readonly title: string;
  readonly description?: string;
  readonly href: string;
  readonly schema: Schema;
  readonly index: readonly string[];
  /** By state, then by action. */
  readonly states?: Readonly<Record<string, Readonly<Record<string, Transition>>>>;
  readonly editable?: readonly string[];
  readonly access: {
    /** By role where the collection is shared. */
    readonly read: 'owner' | 'everyone' | RoleStates;
    /** Shared collections only, like `delete`. */
    readonly update?: RoleStates;
    readonly delete?: RoleStates;
    readonly clients: 'none' | 'own' | 'any';
  };
  /** Shared collections only: what callers can be in a record, besides its owner. */
  readonly roles?: Readonly<Record<string, { readonly max_per_user?: number }>>;
  /** Records show `owner` and `people`. */
  readonly aliases?: boolean;
  readonly concurrency: 'optional' | 'required';
  readonly events: 'none' | 'thin' | 'full';
  readonly deprecated?: {
    readonly since: string;
    readonly sunset: string | null;
    readonly link: string | null;
  };
}

export interface Transition {
  readonly to: string;
  /** The fields that the action takes as input; `due?` may be missing. */
  readonly sets?: readonly string[];
}

/** By role, the states in which it may do something. */
export type RoleStates = Readonly<Record<string, 'all' | readonly string[]>>;

export interface Overview {
  readonly collections: readonly Collection[];
  readonly links: { readonly docs: string };
}

export interface RecordItem {
  readonly id: string;
  readonly state?: string;
  readonly actions?: readonly string[];
  /** What the caller is in a record of a shared collection. */
  readonly roles?: readonly string[];
  readonly created_at: string;
  readonly updated_at: string;
  readonly [field: string]: unknown;
}

/** The members of a record that the service adds. */
function ownMembers({ roles, aliases }: Collection): readonly string[] {
  const shared = roles === undefined ? [] : ['roles'];
  const people = aliases ? ['owner', 'people'] : [];
  return ['id', 'state', 'actions', 'created_at', 'updated_at', ...shared, ...people];
}

export function fieldsOf(collection: Collection, record: RecordItem): Record<string, unknown> {
  const own = ownMembers(collection);
  return Object.fromEntries(Object.entries(record).filter(([name]) => !own.includes(name)));
}
