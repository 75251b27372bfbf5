import { singularOf } from '../../collections/singular.ts';

/** How the types of a collection are called. */
export interface TypeNames {
  readonly record: string;
  readonly fields: string;
  readonly changes: string;
}

/** "team-bookings" is `TeamBooking`; where two collections would have one name, the later keeps its plural. */
export function nameTypes(collections: readonly string[], reserved: readonly string[]): readonly TypeNames[] {
  const taken = new Set(reserved);
  return collections.map((collection) => {
    const isFree = (name: string) => Object.values(namesOf(name)).every((each) => !taken.has(each));
    let name = inCapitals(singularOf(collection) ?? collection);
    if (!isFree(name)) name = inCapitals(collection);
    while (!isFree(name)) name += '_';
    const names = namesOf(name);
    for (const each of Object.values(names)) taken.add(each);
    return names;
  });
}

function namesOf(name: string): TypeNames {
  return { record: name, fields: `${name}Fields`, changes: `${name}Changes` };
}

/** No two names become one: a "-" that is not before a letter stays, as "_". */
function inCapitals(name: string): string {
  return name.replaceAll(/(?:^|-)([a-z])/g, (_, letter: string) => letter.toUpperCase()).replaceAll('-', '_');
}
