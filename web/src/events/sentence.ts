import type { Collection } from '../api/types.ts';
import { t } from '../parts/words.ts';
import { singularOf } from '../records/collection-words.ts';
import { inWords } from '../schema/shape.ts';

const longestName = 60;

/** The part of an event that a sentence needs. */
export interface Happening {
  /** Such as `notes.created`, or `bookings.approved` for the state that an action led to. */
  readonly type: string;
  readonly data: { readonly state: string | null };
}

/** A change of a record that was made elsewhere, as a sentence. */
export function sentenceOf(collection: Collection, { type, data }: Happening, nameOfRecord: string): string {
  const kind = kindOf(type);
  const name = shortened(nameOfRecord);
  if (kind === 'created') return t.row.created(singularOf(collection), name);
  return isTold(kind) ? t.row[kind](name) : t.row.marked(inWords(data.state ?? kind), name);
}

/** What can happen to a record beside the actions, with a sentence of its own. */
function isTold(kind: string): kind is 'changed' | 'deleted' | 'expired' | 'joined' | 'left' | 'gone' {
  return ['changed', 'deleted', 'expired', 'joined', 'left', 'gone'].includes(kind);
}

/** `created`, `left`, or the state that an action led to. */
export function kindOf(type: string): string {
  return type.slice(type.lastIndexOf('.') + 1);
}

/** One sentence for many changes. */
export function sentenceOfMany({ title }: Collection, count: number): string {
  return t.list.changes(count, title);
}

/** A name that fits into a sentence. */
export function shortened(name: string): string {
  const characters = [...name];
  return characters.length <= longestName ? name : `${characters.slice(0, longestName - 1).join('')}…`;
}
