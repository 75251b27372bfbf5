import { isJsonObject } from '../../base/strict-json.ts';
import { isAscii, normaliseText } from '../../base/unicode.ts';

/** Search by words: the words of a query and of a record are folded alike, and each of the query begins one of the record. */

export const maxWords = 4;
/** Different runs of letters, of which a word such as "e-mail" has two. */
export const maxParts = 8;
export const shortestWord = 2;
export const longestWord = 40;
/** Characters of a query, before it is folded. */
export const longestQuery = 1_000;
/** Characters that are searched of a record, before and after folding: one character (U+FDFA) can become eighteen. */
const maxSearched = 65_536;

/** Accents of Latin, Greek and Cyrillic letters, and letters whose capital is another one's, too. */
const folded = /[\u0300-\u036fςßı]/g;
const letter = String.raw`\p{L}\p{N}\p{M}`;
const runOfLetters = new RegExp(`[${letter}]+`, 'gu');

/** The beginning, without the differences between capital and small, accented and plain, wide and narrow letters. */
export function fold(text: string): string {
  const whole = normaliseText(text.slice(0, maxSearched), 'NFKD');
  const plain = whole.slice(0, maxSearched).toLowerCase();
  return isAscii(plain) ? plain : plain.replace(folded, base);
}

function base(character: string): string {
  if (character === 'ß') return 'ss';
  return character === 'ς' ? 'σ' : character === 'ı' ? 'i' : '';
}

/** Folded; null: too many words or parts, or a word that is too short or too long. A word such as "e-mail" has two parts. */
export function readWords(text: string): readonly string[] | null {
  if (text.length > longestQuery) return null;
  const words = text.split(/\s+/).map((word) => fold(word).match(runOfLetters) ?? []);
  const given = words.filter((parts) => parts.length > 0);
  const fits = (parts: readonly string[]) => {
    const length = parts.reduce((sum, part) => sum + [...part].length, 0);
    return length >= shortestWord && length <= longestWord;
  };
  const parts = [...new Set(given.flat())];
  const areFew = given.length > 0 && given.length <= maxWords && parts.length <= maxParts;
  return areFew && given.every(fits) ? parts : null;
}

/** Whether the body of a record has all the words in these fields. */
export function matcher(words: readonly string[], fields: readonly string[]): (body: string) => boolean {
  // A word that begins another one is found with it, so that each place in the text begins at most one word.
  const wanted = words.filter((word) => !words.some((other) => other !== word && other.startsWith(word)));
  const starts = new RegExp(`(?:^|[^${letter}])(${wanted.join('|')})`, 'gu');
  return (body) => {
    // Most records do not have the words: they are not parsed.
    if (isAscii(body) && !hasAll(body.toLowerCase(), wanted)) return false;
    const text = fold(textOf(JSON.parse(body), fields));
    if (!hasAll(text, wanted)) return false;
    const missing = new Set(wanted);
    for (const [, word = ''] of text.matchAll(starts))
      if (missing.delete(word) && missing.size === 0) return true;
    return false;
  };
}

function hasAll(text: string, words: readonly string[]): boolean {
  return words.every((word) => text.includes(word));
}

function textOf(record: unknown, fields: readonly string[]): string {
  if (!isJsonObject(record)) return '';
  const values = fields.flatMap((name) => record[name] ?? []);
  return values.filter((value) => typeof value === 'string').join('\n');
}
