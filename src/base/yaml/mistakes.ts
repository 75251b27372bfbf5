import { membersOf } from '../strict-json.ts';
import { withoutPassword, withoutSecrets } from '../url.ts';

/** Reports a mistake of the value at a JSON pointer: "must be a list; found 5". */
export type ReportAt = (pointer: string, predicate: string) => void;

export interface Report extends ReportAt {
  /** False if a mistake was reported at one of these places, below it, or at a value around it. */
  readonly isRight: (...pointers: readonly string[]) => boolean;
}

/** How a mistake names its place: `limits.writes`. */
export function nameOf(pointer: string): string {
  return pointer === '' ? 'The file' : membersOf(pointer).map(brief).join('.');
}

export type DescribeValue = (value: unknown) => string;

export const found: DescribeValue = (value) => foundText(value, withoutPassword);

/** For values that may be an address with a secret in it. */
export const foundAddress: DescribeValue = (value) => foundText(value, withoutSecrets);

function foundText(value: unknown, printable: (text: string) => string): string {
  if (value === undefined || value === null) return 'found nothing';
  if (Array.isArray(value)) return 'found a list';
  if (typeof value === 'object') return 'found a mapping';
  const text = brief(printable(String(value)));
  return typeof value === 'string' ? `found "${text}"` : `found ${text}`;
}

export function brief(text: string): string {
  return text.length <= 60 ? text : `${text.slice(0, 57)}...`;
}

/** "a", "b" and "c". */
export function listed(words: readonly string[], joiner: 'and' | 'or'): string {
  const quoted = words.map((word) => `"${word}"`);
  return quoted.length < 2 ? quoted.join('') : `${quoted.slice(0, -1).join(', ')} ${joiner} ${quoted.at(-1)}`;
}

export function suggestion(name: string, known: readonly string[]): string {
  const near = nearest(name, known);
  if (near !== null) return `did you mean "${near}"?`;
  if (known.length === 0) return 'there is none';
  return known.length > 12 ? 'no known name is similar' : `expected ${listed(known, 'or')}`;
}

/** Ignores case, "-" and "_". `farthest`: how many letters may be missing, added, wrong or swapped. */
export function nearest(
  name: string,
  known: readonly string[],
  farthest = (word: string) => Math.ceil(word.length / 4),
): string | null {
  const plain = (word: string) => word.toLowerCase().replaceAll(/[_-]/g, '');
  const given = plain(name).slice(0, 64);
  const near = known
    .filter((word) => Math.abs(plain(word).length - given.length) <= farthest(word))
    .map((word) => ({ word, distance: distance(given, plain(word)) }))
    .sort((one, other) => one.distance - other.distance)[0];
  if (near === undefined || near.distance >= near.word.length) return null;
  return near.distance <= farthest(near.word) ? near.word : null;
}

function distance(from: string, to: string): number {
  let before: readonly number[] = [];
  let row = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (let index = 0; index < from.length; index += 1) {
    const next = [index + 1];
    for (let column = 0; column < to.length; column += 1) {
      const changed = (row[column] ?? 0) + (from[index] === to[column] ? 0 : 1);
      const areSwapped = column > 0 && from[index] === to[column - 1] && from[index - 1] === to[column];
      const swapped = areSwapped ? (before[column - 1] ?? 0) + 1 : changed;
      next.push(Math.min(changed, swapped, (row[column + 1] ?? 0) + 1, (next[column] ?? 0) + 1));
    }
    before = row;
    row = next;
  }
  return row.at(-1) ?? 0;
}
