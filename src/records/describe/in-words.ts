import { isPlural, singularOf } from '../../collections/singular.ts';

/** What can be done with the records of a collection, as a person would say it: "Submit a booking". */

/** "a booking", "an entry"; where nobody can tell, "one of News". */
export function one(title: string): string {
  const singular = singularOf(title);
  if (singular === null) return `one of ${title}`;
  const noun = inSentence(singular);
  return `${/^[aeiou]/i.test(noun) ? 'an' : 'a'} ${noun}`;
}

/** "bookings"; where it is no plain word, as it is written. */
export function all(title: string): string {
  return isPlural(title) ? inSentence(title) : title;
}

/** An action is a verb, perhaps with a particle: "Hand out a lending". Of anything else the record is told apart. */
export function action(name: string, title: string): string {
  const words = name.replaceAll(/[_-]+/g, ' ').toLowerCase();
  const isVerb = /^\S+(?: (?:back|down|in|off|on|out|over|up))?$/.test(words);
  return `${words.slice(0, 1).toUpperCase()}${words.slice(1)}${isVerb ? '' : ':'} ${one(title)}`;
}

/** Without the capital of a title, unless all of its first word is in capitals. */
function inSentence(noun: string): string {
  return /^[A-Z]{2}/.test(noun) ? noun : `${noun.slice(0, 1).toLowerCase()}${noun.slice(1)}`;
}
