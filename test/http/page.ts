import type { WireRecord } from '../support/http/api-caller.ts';

/** A page of a list. */
export interface Page {
  readonly items: readonly WireRecord[];
  readonly next: string | null;
}

export const idsOf = (records: readonly WireRecord[]) => records.map(({ id }) => id);
