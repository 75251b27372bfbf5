/** As the service has them: nothing else gets into a path. What has an address of its own there is no collection. */
export const nameForm = /^(?!(me|events|invitations)$)[a-z][a-z0-9-]{0,62}$/;
export const actionForm = /^[a-z][a-z0-9_-]{0,31}$/;
/** An address without an id, or with one of dots, would be that of something else. */
export const idForm = /^(?!\.{0,2}$)/;

export function expectForm(what: string, form: RegExp, found: string): void {
  if (!form.test(found)) throw new TypeError(`${what}: expected ${form}, found "${found}"`);
}

/** What has such a name is made when it is asked for. What JavaScript itself asks for, such as `then` or `toJSON`, is not. */
export function named<T extends object>(form: RegExp, make: (name: string) => unknown, members = {} as T): T {
  return new Proxy(members, {
    get: (_, key) =>
      members[key as keyof T] ?? (key !== 'then' && form.test(String(key)) ? make(key as string) : undefined),
  });
}
