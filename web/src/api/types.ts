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
  readonly states?: Readonly<Record<string, Readonly<Record<string, { readonly to: string }>>>>;
  readonly editable?: readonly string[];
  readonly access: { readonly read: 'owner' | 'everyone'; readonly clients: 'none' | 'own' | 'any' };
  readonly concurrency: 'optional' | 'required';
  readonly events: 'none' | 'thin' | 'full';
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

/** The members of a record that the service adds. */
export const ownMembers: readonly string[] = ['id', 'state', 'actions', 'created_at', 'updated_at'];

export function fieldsOf(record: RecordItem): Record<string, unknown> {
  return Object.fromEntries(Object.entries(record).filter(([name]) => !ownMembers.includes(name)));
}
