import type { Collection } from '../collections/collection.ts';

/** Words that look like a plural, but are none. */
const singular = /(?:ss|us|is|news|series|species)$/i;
const pluralOfIe = /(?:^|[ -])(?:cookie|movie|pie|selfie|tie)s$/i;
const pluralOfUs = /(?:^|[ -])(?:bonus|bus|campus|status|virus)es$/i;

/** "entries" is "entry"; a word that is not a regular English plural stays. */
export function singularOf(words: string): string {
  if (!/^[a-z][a-z -]*[a-z]s$/i.test(words) || singular.test(words)) return words;
  if (words.endsWith('ies') && !pluralOfIe.test(words)) return `${words.slice(0, -3)}y`;
  return words.slice(0, /(?:ch|sh|x|ss|z)es$/.test(words) || pluralOfUs.test(words) ? -2 : -1);
}

/** "bookings" and "a booking", for summaries; "records" and "a record" if the title is not a regular English plural. */
export function wordsFor({ title, singular: declared }: Pick<Collection, 'title' | 'singular'>): {
  readonly many: string;
  readonly one: string;
} {
  const many = uncapitalised(title);
  const one = declared === null ? singularOf(many) : uncapitalised(declared);
  if (one === many) return { many: 'records', one: 'a record' };
  return { many, one: `${/^(?:[aeio]|u(?!s|ni))/i.test(one) ? 'an' : 'a'} ${one}` };
}

/** "API keys" keeps its capitals. */
function uncapitalised(words: string): string {
  return /^[A-Z][a-z]/.test(words) ? `${words.slice(0, 1).toLowerCase()}${words.slice(1)}` : words;
}
