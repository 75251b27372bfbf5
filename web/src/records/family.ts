import type { Cards, Collection, RecordItem } from '../api/types.ts';
import { t } from '../parts/words.ts';
import { displayMoment, displayNumber } from '../schema/display.ts';
import { type Field, fieldsOfSchema, inWords } from '../schema/shape.ts';

/** Adds to each collection those whose records are under its records, and where people write what they are called. */
export function withChildren(collections: readonly Collection[]): readonly Collection[] {
  const withOwn = (one: Collection): Collection => {
    const cards = cardsOf(one, collections);
    const children = collections.filter(({ parent }) => parent?.collection === one.name).map(withOwn);
    return { ...one, children, ...(cards && { namedBy: cards }) };
  };
  return collections.map(withOwn);
}

/** People have one alias in a record and in all that is under it, so the cards of the root are for these collections, too. */
function cardsOf(one: Collection, collections: readonly Collection[]): Cards | null {
  const named = (name: string | undefined) => collections.find((other) => other.name === name);
  const { cards } = one;
  if (cards === undefined) {
    const above = named(one.parent?.collection);
    return above === undefined ? null : cardsOf(above, collections);
  }
  const { collection: above, field } = named(cards.collection)?.parent ?? {};
  if (above === undefined || field === undefined) return null;
  return { ...cards, above, field };
}

/** The fields that people fill in. The page sets the one with the id of the parent. */
export function ownFields({ schema, parent }: Pick<Collection, 'schema' | 'parent'>): readonly Field[] {
  return fieldsOfSchema(schema).filter(({ name }) => name !== parent?.field);
}

/** True if the service has a list of the collection without a parent. It refuses one that would always be empty. */
export function hasOwnList({ parent, access: { read }, roles = {} }: Collection): boolean {
  if (parent === undefined) return true;
  const isOwners = typeof read === 'string' ? read === 'owner' : 'owner' in read;
  return isOwners || Object.values(roles).some(({ max_per_user }) => max_per_user !== undefined);
}

/** The route of the list with a record: the screen of its parent, or of its collection. */
export function homeOf(collection: Collection, record: RecordItem | null): readonly string[] {
  const { name, parent } = collection;
  return parent === undefined || record === null
    ? ['data', name]
    : ['data', parent.collection, String(record[parent.field]), 'open'];
}

/** Why no record can be created under this one now; null if it can. */
export function whyClosed({ parent, title }: Collection, above: RecordItem): string | null {
  const { states, before } = parent?.accepts ?? {};
  if (states !== undefined && !states.includes(above.state ?? ''))
    return t.list.opensIn(title, states.map(inWords));
  const end = before === undefined ? undefined : above[before];
  return typeof end === 'string' && Date.parse(end) <= Date.now()
    ? t.list.closedSince(title, displayMoment(end))
    : null;
}

/** True if the caller may create records under this one; the scopes are those of its token. */
export function mayCreateUnder(
  { access: { create = ['everyone'] }, roles = {} }: Collection,
  { roles: held = [] }: RecordItem,
  scopes: readonly string[],
): boolean {
  return create.some((role) => {
    const { scope = '', parent_roles = [] } = roles[role] ?? {};
    return (
      role === 'everyone' ||
      scopes.includes(scope) ||
      parent_roles.some((one) => one === 'everyone' || held.includes(one))
    );
  });
}

export interface Count {
  readonly label: string;
  readonly text: string;
}

/** The counts of the records under one, where their collections declare them: "Hand-ins: 3 handed in, 1 returned". */
export function countsOf({ children = [] }: Collection, record: RecordItem): readonly Count[] {
  const counts = (record.counts ?? {}) as Readonly<Record<string, number | Readonly<Record<string, number>>>>;
  return children.flatMap(({ name, title, parent }) => {
    const found = counts[name];
    if (found === undefined) return [];
    if (typeof found === 'number') return [{ label: title, text: displayNumber(found) }];
    const text = Object.entries(found)
      .map(([state, count]) => t.record.inState(displayNumber(count), inWords(state)))
      .join(', ');
    const { states = [], number, field } = parent?.capacity ?? {};
    const places = number ?? record[field ?? ''];
    // The number of taken places needs the counts of all states that take one.
    if (typeof places !== 'number' || states.some((state) => found[state] === undefined))
      return [{ label: title, text }];
    const taken = states.reduce((sum, state) => sum + (found[state] ?? 0), 0);
    return [
      { label: title, text },
      { label: t.record.places, text: t.record.taken(displayNumber(taken), displayNumber(places)) },
    ];
  });
}

/** The places under a record and how many are taken; null where its collection has none, or shows no counts. */
export function placesOf({ children = [] }: Collection, record: RecordItem) {
  const counts = (record.counts ?? {}) as Readonly<Record<string, number | Readonly<Record<string, number>>>>;
  for (const { name, parent } of children) {
    const found = counts[name];
    const { states = [], number, field, overflow } = parent?.capacity ?? {};
    const all = number ?? record[field ?? ''];
    if (typeof found !== 'object' || typeof all !== 'number') continue;
    // The number of taken places needs the counts of all states that take one.
    if (states.length === 0 || states.some((state) => found[state] === undefined)) continue;
    const taken = states.reduce((sum, state) => sum + (found[state] ?? 0), 0);
    return { taken, all, waiting: overflow === undefined ? 0 : (found[overflow] ?? 0) };
  }
  return null;
}
