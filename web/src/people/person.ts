import { t } from '../parts/words.ts';

/**
 * How people appear: two words and a picture, made from their alias and from nothing else, until they wrote on a card what
 * they are called. Nothing is stored or sent. An
 * alias has another form in each topmost record, and so have the words: nobody is recognised in another record by them.
 */

const digits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

/** The digits of an alias, which are random: each from 0 to 63. */
export function digitsOf(alias: string): (place: number) => number {
  const code = alias.replace(/^per_/, '');
  return (place) => Math.max(0, digits.indexOf(code.charAt(place % Math.max(1, code.length))));
}

/** What people call themselves on the cards of the open record, by alias. Not stored; another record replaces it. */
let called: ReadonlyMap<string, string> = new Map();

export function namesOnCards(): ReadonlyMap<string, string> {
  return called;
}

export function callPeople(names: ReadonlyMap<string, string>): void {
  called = names;
}

/** The name on the card, else "Quiet heron". One of 4,096: in one record two people may have the same words. */
export function personName(alias: string): string {
  const digit = digitsOf(alias);
  return called.get(alias) ?? t.person.name(digit(0), digit(1));
}

/** For lists: people with the same name get a part of their alias, too. */
export function personNames(aliases: readonly string[]): ReadonlyMap<string, string> {
  const different = [...new Set(aliases)];
  const byName = Map.groupBy(different, personName);
  const named = (alias: string) => {
    const name = personName(alias);
    return (byName.get(name)?.length ?? 0) > 1 ? `${name} ${alias.slice(4, 8)}` : name;
  };
  return new Map(different.map((alias) => [alias, named(alias)]));
}
