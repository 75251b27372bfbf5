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
