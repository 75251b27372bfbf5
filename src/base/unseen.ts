/** What nobody sees: it ends lines, rings, or turns the order of letters round, so that a text looks like another. */
export const unseen = /[\p{Cc}\u2028\u2029\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;

export function hasUnseen(text: string): boolean {
  return text.search(unseen) !== -1;
}

/** The text with such letters written out: \u0007. */
export function escapeUnseen(text: string): string {
  return text.replaceAll(unseen, (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
