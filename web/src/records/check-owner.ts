import { type Api, Problem } from '../api/client.ts';
import type { Collection, RecordItem } from '../api/types.ts';

/**
 * Whether a record is the caller's own, before a form is offered that the service would refuse. A record does not say
 * whose it is; but the caller's own ones of the same moment either have it among them or not.
 */
export async function checkOwner(
  api: Api,
  { name, access }: Collection,
  { id, created_at }: RecordItem,
): Promise<void> {
  if (access.read === 'owner') return;
  const { items } = await api.collection(name).page({ mine: true, created_at, limit: 200 });
  // What the service would say to a change.
  if (!items.some((item) => item.id === id))
    throw new Problem(0, { code: 'not_owner', title: 'It belongs to somebody else.' });
}
