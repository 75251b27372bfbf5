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
  readonly states?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly editable?: readonly string[];
  readonly concurrency: 'optional' | 'required';
  readonly deprecated?: {
    readonly since: string;
    readonly sunset: string | null;
    readonly link: string | null;
  };
}

export interface Overview {
  readonly collections: readonly Collection[];
  readonly links: { readonly docs: string };
}

export interface RecordItem {
  readonly id: string;
  readonly state?: string;
  readonly actions?: readonly string[];
  readonly created_at: string;
  readonly updated_at: string;
  readonly [field: string]: unknown;
}

export interface Page {
  readonly items: readonly RecordItem[];
  readonly next: string | null;
}

export interface Me {
  /** Null for a caller that the token does not name: nothing is kept about it. */
  readonly id: string | null;
  readonly kind: string;
  readonly registered_at: string | null;
  readonly subject: string | null;
  readonly token: { readonly expires_at: string };
}

export interface Budget {
  readonly used: number;
  readonly allowed: number;
  readonly window_seconds: number;
  readonly resets_at: string;
}

export interface Usage {
  readonly name: string;
  readonly records: { readonly used: number; readonly allowed: number };
  readonly writes: Budget;
  readonly newcomer: (Budget & { readonly until: string }) | null;
}

export interface Receipt {
  readonly erased_at: string;
  readonly records: Readonly<Record<string, number>>;
  readonly total: number;
  readonly idempotency_keys: number;
  readonly budgets_kept_until: string | null;
}

/** The members of a record that the service adds. */
export const ownMembers: readonly string[] = ['id', 'state', 'actions', 'created_at', 'updated_at'];

export function fieldsOf(record: RecordItem): Record<string, unknown> {
  return Object.fromEntries(Object.entries(record).filter(([name]) => !ownMembers.includes(name)));
}
