import type { Collection } from '../collections/collection.ts';
import { aboutCollection } from './collection-about.ts';
import type { Paths } from './openapi-types.ts';
import { listOperation, readOperation } from './record-reads.ts';
import {
  actionOperation,
  createOperation,
  deleteOperation,
  patchOperation,
  replaceOperation,
} from './record-writes.ts';

/** Everything that can be done with one collection. */
export function collectionPaths(collection: Collection, root: string): Paths {
  const { name, machine } = collection;
  const about = aboutCollection(collection);
  const actions = (machine?.actions ?? []).map((action) => [
    `${root}/${name}/{id}/${action}`,
    { post: actionOperation(about, action) },
  ]);
  return {
    [`${root}/${name}`]: { get: listOperation(about), post: createOperation(about) },
    [`${root}/${name}/{id}`]: {
      get: readOperation(about),
      put: replaceOperation(about),
      patch: patchOperation(about),
      delete: deleteOperation(about),
    },
    ...Object.fromEntries(actions),
  };
}
