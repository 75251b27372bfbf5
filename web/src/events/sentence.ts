import type { Collection } from '../api/types.ts';
import { counted } from '../schema/display.ts';
import { inWords } from '../schema/shape.ts';

const longestName = 60;

const happenings: Readonly<Record<string, string>> = {
  created: 'is new',
  changed: 'was changed',
  deleted: 'was deleted',
  expired: 'has expired',
  joined: 'is shared with you now',
  left: 'is no longer shared with you',
  gone: 'is not there any more',
};

/** The part of an event that a sentence needs. */
export interface Happening {
  /** Such as `notes.created`, or `bookings.approved` for the state that an action led to. */
  readonly type: string;
  readonly data: { readonly state: string | null };
}

/** A change that was made elsewhere, as a sentence. `name`: of the record, if it is known. */
export function sentenceOf({ title }: Collection, { type, data }: Happening, name: string | null): string {
  const kind = kindOf(type);
  const happening = happenings[kind] ?? `is ${inWords(data.state ?? kind).toLowerCase()} now`;
  return `${title}: ${name === null ? 'one' : `“${shortened(name)}”`} ${happening}.`;
}

/** `created`, `left`, or the state that an action led to. */
export function kindOf(type: string): string {
  return type.slice(type.lastIndexOf('.') + 1);
}

/** One sentence for many changes. */
export function sentenceOfMany({ title }: Collection, count: number): string {
  return `${title}: ${counted(count, 'change')} made elsewhere.`;
}

function shortened(name: string): string {
  const characters = [...name];
  return characters.length <= longestName ? name : `${characters.slice(0, longestName - 1).join('')}…`;
}
