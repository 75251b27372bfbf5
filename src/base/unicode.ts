import { Buffer } from 'node:buffer';

/**
 * Combining marks in a row. Unicode normalisation sorts each run of them in quadratic time: 12,000 take 160 ms. No text in use has a longer
 * run (UAX #15, Stream-Safe Text Format).
 */
export const maxMarksInRow = 30;

/** U+FF9E and U+FF9F are letters that NFKD turns into marks. */
const mark = String.raw`[\p{M}\uff9e\uff9f]`;
/** The lookbehind keeps it linear: no search begins inside a run. */
const longRun = new RegExp(`(?<!${mark})(${mark}{${maxMarksInRow}})${mark}+`, 'gu');

export function isAscii(text: string): boolean {
  return Buffer.byteLength(text) === text.length;
}

/** In NFC; null if it has more than `maxMarksInRow`. */
export function normaliseName(name: string): string | null {
  if (isAscii(name)) return name;
  return name.search(longRun) === -1 ? name.normalize('NFC') : null;
}

/** Drops the marks past `maxMarksInRow`. */
export function normaliseText(text: string, form: 'NFC' | 'NFKD'): string {
  return isAscii(text) ? text : text.replace(longRun, '$1').normalize(form);
}

/** Control, bidirectional and zero-width characters. U+200C and U+200D are allowed: words and emoji need them. */
export const unseen =
  /[\p{Cc}\u00ad\u061c\u200b\u200e\u200f\u2028\u2029\u202a-\u202e\u2060\u2066-\u2069\ufeff]/gu;

export function hasUnseen(text: string): boolean {
  return text.search(unseen) !== -1;
}

/** The text with such letters written out: \u0007. */
export function escapeUnseen(text: string): string {
  return text.replaceAll(unseen, (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
