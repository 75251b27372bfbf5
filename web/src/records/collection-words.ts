import type { Problem } from '../api/client.ts';
import type { Collection } from '../api/types.ts';
import type { About } from '../parts/language.ts';
import { t } from '../parts/words.ts';
import { fieldsOfSchema, inWords } from '../schema/shape.ts';

/** What one record is called: "Booking" in "Bookings". */
export function singularOf({ title, singular }: Collection): string {
  return singular ?? t.singular(title);
}

/** "3 bookings". */
export function someOf(collection: Collection, count: number): string {
  return t.some(count, singularOf(collection), collection.title);
}

/** What a problem with records of a collection is about. `count`: of the records below that are in the way. */
export function aboutOf(collection: Collection, problem: Problem, count = 0): About {
  const { schema, parent, children = [], title: many } = collection;
  const one = singularOf(collection);
  const named = (problem.document.fields ?? []) as readonly string[];
  const labels = new Map(fieldsOfSchema(schema).map(({ name, label }) => [name, label]));
  const child = children.find(({ name }) => name === problem.document.collection);
  return {
    one,
    many,
    parent: parent === undefined ? '' : inWords(parent.field),
    child: child === undefined ? t.entry : singularOf(child),
    children: child?.title ?? t.entries,
    count,
    // A rule can also name the owner and the parent.
    fields: named.flatMap((name) => labels.get(name) ?? []),
    isOwn: named.includes('owner'),
  };
}
