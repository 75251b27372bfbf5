import { membersOf } from '../collections/json-pointer.ts';

/** What a reference of the form `#/...` leads to; undefined where there is nothing. */
export function follow(reference: string, root: object): unknown {
  const members = membersOf(reference.slice('#'.length)).map(decodeURIComponent);
  return members.reduce<unknown>((part, name) => (part as Record<string, unknown> | undefined)?.[name], root);
}
