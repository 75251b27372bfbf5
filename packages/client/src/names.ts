/** Names that a collection can have: nothing else gets into a path. Names of other routes are excluded. */
export const nameForm = /^(?!(batch|events|invitations|me)$)[a-z][a-z0-9-]{0,62}$/;
export const actionForm = /^[a-z][a-z0-9_-]{0,31}$/;
/** An empty id, or one of dots, would make a path to something else. */
export const idForm = /^(?!\.{0,2}$)/;

export function expectForm(what: string, form: RegExp, found: string): void {
  if (!form.test(found)) throw new TypeError(`${what}: expected ${form}, found "${found}"`);
}

/** An object whose members are made when they are read. Names that JavaScript reads by itself, such as `then`, are excluded. */
export function named<T extends object>(form: RegExp, make: (name: string) => unknown, members = {} as T): T {
  return new Proxy(members, {
    get: (_, key) =>
      members[key as keyof T] ?? (key !== 'then' && form.test(String(key)) ? make(key as string) : undefined),
  });
}
