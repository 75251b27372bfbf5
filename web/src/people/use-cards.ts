import type { Api } from '../api/client.ts';
import type { Cards, Collection, RecordItem } from '../api/types.ts';
import { useApp } from '../parts/context.ts';
import { useLoad } from '../parts/use-load.ts';
import { callPeople } from './person.ts';

/** A name is a text of somebody: it is cut, never a link, and turns no text around. */
const longestName = 40;
const turning = /[\u202a-\u202e\u2066-\u2069]/g;
const maxCards = 1000;
const pageSize = 200;

type Above = readonly [collection: Collection | undefined, record: RecordItem | null | undefined];

/** Reads once what people call themselves in the open record, the first of these; the others are above it. */
export function useCards(lineage: readonly [Above, ...Above[]]): void {
  const { quietApi } = useApp();
  const cards = lineage[0][0]?.namedBy;
  const id = cards && recordWith(cards, lineage);
  // A caller who cannot read the cards sees the words. The screen is drawn again when they are there.
  useLoad(
    async () => cards && id && callPeople(await read(quietApi, cards, id)),
    `${cards?.collection} ${id}`,
  );
}

/** The id of the record that the cards are under. */
function recordWith({ above }: Cards, lineage: readonly Above[]): string | undefined {
  for (const [collection, record] of lineage) {
    if (!collection || !record) continue;
    if (collection.name === above) return record.id;
    if (collection.parent?.collection === above) return String(record[collection.parent.field]);
  }
  return undefined;
}

async function read(from: Api, { collection, name, field }: Cards, id: string) {
  const names = new Map<string, string>();
  for await (const card of from.collection(collection).list({ [field]: id, limit: pageSize })) {
    const text = [...String(card[name]).replaceAll(turning, '')].slice(0, longestName).join('').trim();
    // The newest comes first.
    if (typeof card.owner === 'string' && text !== '' && !names.has(card.owner)) names.set(card.owner, text);
    if (names.size >= maxCards) break;
  }
  return names;
}
