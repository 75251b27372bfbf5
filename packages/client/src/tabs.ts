import { onAbort } from './pause.ts';
import type { LiveStatus, RecordEvent } from './types.ts';

/** What was read of the log. */
export type LogMessage =
  /** Everything after this position will be told: who has not everything before it has missed something. */
  | readonly [kind: 'start', position: number]
  /** For all tabs: events up to this position are pruned; null: events may have been missed. */
  | readonly [kind: 'reset', position: number | null]
  /** Everything up to this position was told. */
  | readonly [kind: 'reach', position: number]
  | readonly [kind: 'hear', event: RecordEvent];

/** What the tab that holds the stream tells the others; and `hello`, by which one asks how things are. */
export type Message =
  | LogMessage
  | readonly [kind: 'hello']
  | readonly [kind: 'status', value: LiveStatus, reason?: string | null];

/** Sends a message to the other tabs. */
export type Post = (message: Message) => void;

/**
 * One tab of a browser holds what all of them need: the one that has the lock of this name, and when it closes another one
 * gets it. Where there are no tabs, or no locks, each holds its own.
 */
export function shareWithTabs(
  name: string | false,
  signal: AbortSignal,
  receive: (message: Message) => void,
  holdStream: () => Promise<void>,
): Post | null {
  const isAlone = !name || !('document' in globalThis) || !navigator.locks;
  if (isAlone) {
    void holdStream();
    return null;
  }
  const channel = new BroadcastChannel(name);
  channel.onmessage = ({ data }) => receive(data);
  channel.postMessage(['hello']);
  navigator.locks.request(name, { signal }, holdStream).catch(() => {});
  onAbort(signal, () => channel.close());
  return (message) => channel.postMessage(message);
}
