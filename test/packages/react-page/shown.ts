/** The content that a test wants the page to show, by label, as JSON. */
export interface Shown {
  readonly lists?: Readonly<Record<string, { readonly of: string; readonly query?: object | null }>>;
  readonly records?: Readonly<Record<string, { readonly of: string; readonly id: string | null }>>;
  readonly hasForm?: boolean;
  /** So many components show the notes and are slow to render. Each round renders all of them again. */
  readonly slow?: { readonly count: number; readonly round: number };
}
