/** The answers of the API, as far as this page uses them. */

export type Schema = Readonly<Record<string, unknown>>;

export interface Collection {
  readonly name: string;
  readonly title: string;
  readonly description?: string;
  readonly href: string;
  readonly schema: Schema;
  readonly index: readonly string[];
  /** The fields in which words can be searched. */
  readonly search?: readonly string[];
  /** Each record has a history. */
  readonly history?: boolean;
  /** By state, then by action. */
  readonly states?: Readonly<Record<string, Readonly<Record<string, Transition>>>>;
  readonly editable?: readonly string[];
  readonly access: {
    /** By role in shared collections. */
    readonly read: 'owner' | 'everyone' | RoleStates;
    /** Shared collections only, like `update` and `delete`. */
    readonly create?: readonly string[];
    readonly update?: RoleStates;
    readonly delete?: RoleStates;
    readonly clients: 'none' | 'own' | 'any';
  };
  /** Shared collections only: the declared roles. `owner` is one of them only if a record can be handed over. */
  readonly roles?: Readonly<Record<string, Role>>;
  /** Records show `owner` and `people`. */
  readonly aliases?: boolean;
  /** Its records are under those of another collection. */
  readonly parent?: Parent;
  /** The collections whose records are under its own; set by the page. */
  readonly children?: readonly Collection[];
  readonly concurrency: 'optional' | 'required';
  readonly events: 'none' | 'thin' | 'full';
  readonly deprecated?: {
    readonly since: string;
    readonly sunset: string | null;
    readonly link: string | null;
  };
}

export interface Parent {
  /** The field with the id of the parent. */
  readonly field: string;
  readonly collection: string;
  readonly accepts?: { readonly states?: readonly string[]; readonly before?: string };
  readonly owned_by: 'creator' | 'parent';
  readonly capacity?: {
    readonly states: readonly string[];
    readonly field?: string;
    readonly number?: number;
  };
}

export interface Role {
  /** Of a role by invitation. */
  readonly invited_by?: readonly string[];
  /** Of a role by action. */
  readonly max_per_user?: number;
  /** Of a role by token. */
  readonly scope?: string;
  /** Of a role by the parent. */
  readonly parent_roles?: readonly string[];
  /** Of `owner`: the role that the former owner gets. */
  readonly previous_owner?: string;
}

export interface Transition {
  readonly to: string;
  /** The fields that the action takes as input; `due?` may be missing. */
  readonly sets?: readonly string[];
  /** The caller chooses a person with this role, who gets the role of the action. */
  readonly chosen_from?: string;
}

/** By role, the states in which it has a right. */
export type RoleStates = Readonly<Record<string, 'all' | readonly string[]>>;

export interface Overview {
  readonly collections: readonly Collection[];
  readonly links: { readonly docs: string };
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
