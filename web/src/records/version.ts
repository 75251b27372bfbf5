import type { Api, Outcome } from '../api/api.ts';
import type { Collection, RecordItem } from '../api/types.ts';

/** The header that says which version is meant, where the collection insists on one. Lists come without versions. */
export async function versionOf(
  api: Api,
  { name, concurrency }: Collection,
  { id }: RecordItem,
): Promise<Outcome<Record<string, string>>> {
  if (concurrency === 'optional') return { ok: true, body: {}, etag: null };
  const outcome = await api.get<RecordItem>(`/${name}/${id}`);
  return outcome.ok ? { ...outcome, body: { 'if-match': outcome.etag ?? '*' } } : outcome;
}
