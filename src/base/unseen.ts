/**
 * What nobody sees: it ends lines, rings, turns the order of letters round, or has no width, so that a text looks like
 * another. What joins letters or keeps them apart (U+200C, U+200D) changes how they look, and words and emoji need it.
 */
export const unseen =
  /[\p{Cc}\u00ad\u061c\u200b\u200e\u200f\u2028\u2029\u202a-\u202e\u2060\u2066-\u2069\ufeff]/gu;

export function hasUnseen(text: string): boolean {
  return text.search(unseen) !== -1;
}

/** The text with such letters written out: \u0007. */
export function escapeUnseen(text: string): string {
  return text.replaceAll(unseen, (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
