import type { Page } from '../api/client.ts';
import type { Collection, RecordItem } from '../api/types.ts';
import { type Happening, kindOf, sentenceOf } from '../events/sentence.ts';
import { nameOf } from './record-name.ts';
import { lossOf } from './roles.ts';

export type List = Page<RecordItem>;

/** A sentence for each record of a list that was changed elsewhere. It comes from the event if there is one, else from the difference. */
export function newsOf(
  collection: Collection,
  before: List,
  after: List,
  heard: ReadonlyMap<string, Happening>,
  isFiltered: boolean,
): readonly string[] {
  const [was, is] = [byId(before), byId(after)];
  return [...new Set([...was.keys(), ...is.keys()])].flatMap((id) => {
    const [old, now] = [was.get(id), is.get(id)];
    if (JSON.stringify(old) === JSON.stringify(now)) return [];
    // A record can enter or leave a filtered list, or the end of a page, without being new or deleted.
    const isClear = (old && now) || (!isFiltered && (old ? after : before).next === null);
    const event = heard.get(id);
    const happening = isNews(event, old, now) ? event : isClear && differenceOf(collection, old, now);
    return happening
      ? [sentenceOf(collection, happening, nameOf(collection, (now ?? old) as RecordItem))]
      : [];
  });
}

/** An event about a role is news of the record only if the record came or went with it. */
function isNews(event: Happening | undefined, old?: RecordItem, now?: RecordItem): event is Happening {
  if (event === undefined) return false;
  const kind = kindOf(event.type);
  return kind === 'joined' ? old === undefined : kind !== 'left' || now === undefined;
}

function differenceOf(collection: Collection, old?: RecordItem, now?: RecordItem): Happening {
  const state = now?.state ?? null;
  const change = state === (old?.state ?? null) ? 'changed' : state;
  const kind = old === undefined ? 'created' : now === undefined ? lossOf(collection, old, '') : change;
  return { type: `${collection.name}.${kind}`, data: { state } };
}

function byId({ items }: List): ReadonlyMap<string, RecordItem> {
  return new Map(items.map((item) => [item.id, item]));
}
