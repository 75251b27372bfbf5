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
