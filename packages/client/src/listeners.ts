import { notifyAll } from './notify-all.ts';
import type { LogMessage } from './tabs.ts';
import type { Listener } from './types.ts';

/** The listeners, each with the position of the log up to which it has all events; null: not known. */
export type Listeners = Map<Listener, number | null>;

/** The position after which the log has to be read so that no listener misses an event; Infinity: from now on. */
export function readFrom(listeners: Listeners): number {
  return Math.min(...[...listeners.values()].map((position) => position ?? Infinity));
}

/** No listener has had an event of the log yet. */
export function forget(listeners: Listeners): void {
  for (const listener of listeners.keys()) listeners.set(listener, null);
}

/** The position up to which the log was read; null: unknown. */
export function positionOf([kind, value]: LogMessage): number | null {
  return kind === 'hear' ? value.position : value;
}

/**
 * Passes events on. They come in the order of their positions, and again if the log is read again: each listener gets only
 * events that are new to it.
 */
export function deliver(listeners: Listeners, [kind, value]: LogMessage, position: number | null): void {
  if (kind === 'reset') forget(listeners);
  const behind = [...listeners.keys()].filter((one) => (listeners.get(one) ?? -1) < (position ?? 0));
  for (const listener of behind) listeners.set(listener, position);
  notifyAll(behind, (listener) => {
    if (kind === 'hear') {
      const { collection } = value.data;
      if ((listener.collection ?? collection) === collection) listener.hear(value);
    } else if (kind !== 'reach') listener.missed();
  });
}
