import type { Api } from '../api/client.ts';
import type { Collection, RecordItem } from '../api/types.ts';

/** Which version is meant, where the collection insists on one. Lists come without versions. */
export async function ifMatchFor(
  api: Api,
  { name, concurrency }: Collection,
  { id }: RecordItem,
): Promise<{ ifMatch?: RecordItem }> {
  return concurrency === 'optional' ? {} : { ifMatch: await api.collection(name).get(id) };
}
