/**
 * Filters as the service reads them: `{ seats: 2 }` is `seats=2`, `{ slot: { gte: '2026-12-01T00:00:00Z' } }` is
 * `slot[gte]=...`. What is undefined or null is left out.
 */
export function queryOf(query: object): URLSearchParams {
  const given = new URLSearchParams();
  const add = (name: string, value: unknown) => {
    if (value instanceof Date) given.set(name, value.toISOString());
    else if (value instanceof Object)
      for (const [operator, bound] of Object.entries(value)) add(`${name}[${operator}]`, bound);
    else if (value != null) given.set(name, value as string);
  };
  for (const [name, value] of Object.entries(query)) add(name, value);
  return given;
}
