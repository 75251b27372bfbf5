import { onAbort } from './pause.ts';
import type { LiveStatus, RecordEvent } from './types.ts';

/** A part of the log, as it was read. */
export type LogMessage =
  /** The stream begins after this position. Listeners that lack earlier events have missed them. */
  | readonly [kind: 'start', position: number]
  /** For all tabs: events up to this position are pruned; null: events may have been missed. */
  | readonly [kind: 'reset', position: number | null]
  /** All events up to this position were sent. */
  | readonly [kind: 'reach', position: number]
  | readonly [kind: 'hear', event: RecordEvent];

/** Sent by the tab that holds the stream to the others; `hello` asks it for the current status. */
export type Message =
  | LogMessage
  | readonly [kind: 'hello']
  | readonly [kind: 'status', value: LiveStatus, reason?: string | null];

/** Sends a message to the other tabs. */
export type Post = (message: Message) => void;

/**
 * One tab holds the stream for all tabs: the tab with the Web Lock of this name. When it closes, another tab gets the lock. In
 * Node, and in a browser without Web Locks, each client holds a stream of its own.
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
