import type { Api } from '../api/client.ts';
import type { Collection, RecordItem } from '../api/types.ts';

/** The version to send with a change, where the collection requires one. Lists have no versions, so it is read. */
export async function ifMatchFor(
  api: Api,
  { name, concurrency }: Collection,
  { id }: RecordItem,
): Promise<{ ifMatch?: RecordItem }> {
  return concurrency === 'optional' ? {} : { ifMatch: await api.collection(name).get(id) };
}
