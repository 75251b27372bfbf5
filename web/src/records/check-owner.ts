import { type Api, Problem } from '../api/client.ts';
import type { Collection, RecordItem } from '../api/types.ts';
import { isShared, mayEverChange } from './roles.ts';

/**
 * Whether the caller may edit a record, before a form is offered that the service would refuse. A record that is not shared
 * does not say whose it is; but the caller's own ones of the same moment either have it among them or not.
 */
export async function checkOwner(api: Api, collection: Collection, record: RecordItem): Promise<void> {
  const mayEdit = isShared(collection)
    ? mayEverChange(collection, record, 'update')
    : collection.access.read === 'owner' || (await isOwn(api, collection, record));
  // What the service would say to a change.
  if (!mayEdit) throw new Problem(0, { code: 'not_owner', title: 'It belongs to somebody else.' });
}

async function isOwn(api: Api, { name }: Collection, { id, created_at }: RecordItem): Promise<boolean> {
  const { items } = await api.collection(name).page({ mine: true, created_at, limit: 200 });
  return items.some((item) => item.id === id);
}
