import { isJsonObject } from '../../base/json-object.ts';
import { isAscii, normaliseText } from '../../base/unicode.ts';

/** Search by words: the words of a query and of a record are folded alike, and each of the query begins one of the record. */

export const mostWords = 4;
export const shortestWord = 2;
export const longestWord = 40;

/** Accents of Latin, Greek and Cyrillic letters, and letters whose capital is another one's, too. */
const folded = /[\u0300-\u036fςßı]/g;
const letter = String.raw`\p{L}\p{N}\p{M}`;
const runOfLetters = new RegExp(`[${letter}]+`, 'gu');

/** Without the differences between capital and small, accented and plain, wide and narrow letters. */
export function fold(text: string): string {
  const plain = normaliseText(text, 'NFKD').toLowerCase();
  return isAscii(plain) ? plain : plain.replace(folded, base);
}

function base(character: string): string {
  if (character === 'ß') return 'ss';
  return character === 'ς' ? 'σ' : character === 'ı' ? 'i' : '';
}

/** Folded; null: too many words, or one that is too short or too long. A word such as "e-mail" has two parts. */
export function readWords(text: string): readonly string[] | null {
  const words = text.split(/\s+/).map((word) => fold(word).match(runOfLetters) ?? []);
  const given = words.filter((parts) => parts.length > 0);
  const fits = (parts: readonly string[]) => {
    const length = parts.reduce((sum, part) => sum + [...part].length, 0);
    return length >= shortestWord && length <= longestWord;
  };
  return given.length > 0 && given.length <= mostWords && given.every(fits)
    ? [...new Set(given.flat())]
    : null;
}

/** Whether the body of a record has all the words in these fields. */
export function matcher(words: readonly string[], fields: readonly string[]): (body: string) => boolean {
  const starts = words.map((word) => new RegExp(`(?:^|[^${letter}])${word}`, 'u'));
  return (body) => {
    const whole = fold(body);
    if (!words.every((word) => whole.includes(word))) return false;
    const text = fold(textOf(JSON.parse(body), fields));
    return starts.every((start) => start.test(text));
  };
}

function textOf(record: unknown, fields: readonly string[]): string {
  if (!isJsonObject(record)) return '';
  const values = fields.flatMap((name) => record[name] ?? []);
  return values.filter((value) => typeof value === 'string').join('\n');
}
