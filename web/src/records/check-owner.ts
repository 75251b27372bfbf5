import { type Api, Problem } from '../api/client.ts';
import type { Collection, RecordItem } from '../api/types.ts';
import { isShared, mayEverChange } from './roles.ts';

/** Refuses to edit a record that the service would not let the caller change. */
export async function checkOwner(api: Api, collection: Collection, record: RecordItem): Promise<void> {
  const mayEdit = isShared(collection)
    ? mayEverChange(collection, record, 'update')
    : collection.access.read === 'owner' || (await isOwn(api, collection, record));
  // The refusal that the service would answer with.
  if (!mayEdit) throw new Problem(0, { code: 'not_owner' });
}

/** Without roles a record does not say whose it is: this looks for it among the caller's own with the same time of creation. */
export async function isOwn(
  api: Api,
  { name }: Collection,
  { id, created_at }: RecordItem,
): Promise<boolean> {
  const { items } = await api.collection(name).page({ mine: true, created_at, limit: 200 });
  return items.some((item) => item.id === id);
}
