import { t } from '../parts/words.ts';

/** The limits of the service. It refuses a search outside of them. */
const maxWords = 4;
const shortestWord = 2;
const longestWord = 40;

export type SearchQuery =
  /** Ready to be sent; empty: no search. */
  | { readonly q: string; readonly hint: null }
  /** Not sent: says what is missing. */
  | { readonly q: null; readonly hint: string };

/** Reads what was typed into a search box. A hint saves a request that the service would refuse. */
export function readSearch(text: string): SearchQuery {
  const words = text.split(/\s+/).filter((word) => word !== '');
  // Other characters do not count, and a word without a letter is not searched for.
  const lengths = words
    .map((word) => word.match(/[\p{L}\p{N}\p{M}]/gu)?.length ?? 0)
    .filter((length) => length > 0);
  const hint =
    lengths.length > maxWords
      ? t.list.fewerWords(maxWords)
      : lengths.some((length) => length < shortestWord) || (words.length > 0 && lengths.length === 0)
        ? t.list.longerWords(shortestWord)
        : lengths.some((length) => length > longestWord)
          ? t.list.shorterWords(longestWord)
          : null;
  return hint === null ? { q: words.join(' '), hint } : { q: null, hint };
}
