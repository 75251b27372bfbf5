import type { Collection } from '../../web/src/api/types.ts';

/** A collection in the overview whose declaration has only fields. */
export function described(name: string, title: string): Collection {
  return {
    name,
    title,
    href: `/${name}`,
    schema: {},
    index: [],
    access: { read: 'owner', clients: 'none', scopes: { read: null, write: null } },
    concurrency: 'optional',
    limits: {
      per_user: 1000,
      bytes: 16_384,
      writes: { count: 60, window_seconds: 60 },
      newcomer: null,
      expire_seconds: null,
    },
    events: 'thin',
  };
}
