import type { Collection } from '../collections/collection.ts';
import type { RecordContext } from '../storage/port.ts';

/** True if the parent accepts records now (`accepts`). */
export function acceptsNow(
  { parent: rules }: Pick<Collection, 'parent'>,
  parent: RecordContext['parent'],
  now: number,
): boolean {
  if (!parent) return false;
  const { states, before } = rules?.accepts ?? { states: null, before: null };
  const isInState = states === null || states.includes(parent.record.state ?? '');
  return isInState && (before === null || now < endOf(JSON.parse(parent.record.body)[before]));
}

const dayMs = 86_400_000;

/** A date counts until the end of that day (UTC). */
function endOf(time: unknown): number {
  const text = String(time);
  return Date.parse(text) + (text.includes('T') ? 0 : dayMs);
}
