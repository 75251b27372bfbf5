import { counted } from '../schema/display.ts';

export interface ListCount {
  readonly count: number;
  /** The service stopped counting at its limit: there may be more. */
  readonly isLeast: boolean;
}

/** "17 records", "At least 2,000 records found", "Nothing found". */
export function countInWords({ count, isLeast }: ListCount, isFiltered: boolean): string {
  if (count === 0) return isFiltered && !isLeast ? 'Nothing found' : '';
  return `${isLeast ? 'At least ' : ''}${counted(count, 'record')}${isFiltered ? ' found' : ''}`;
}
