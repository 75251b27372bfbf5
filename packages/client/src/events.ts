import { callerOf } from './caller.ts';
import type { Connection } from './connection.ts';
import { deliver, forget, type Listeners, positionOf, readFrom } from './listeners.ts';
import { notifyAll, subscribe } from './notify-all.ts';
import { abortable, onAbort, pause } from './pause.ts';
import { queryOf } from './query.ts';
import { followStream } from './stream.ts';
import { type Message, type Post, shareWithTabs } from './tabs.ts';
import type { Events, LiveStatus, NamedEvents, Selection } from './types.ts';

/** After a cut: by chance up to twice as long, so that all who were cut off at once do not come back at once. */
const reconnectMs = 2_000;
/** Where there is no stream, lists are read anew so often, and then a stream is tried again. */
const pollEveryMs = 15_000;
/** Codes about the caller: all its tabs would be told the same. The others are about the token that one tab has sent. */
const aboutCaller = ['erased', 'consumer_suspended', 'client_disabled'];
/** Beside whose it is, what a token may see: streams are shared only where all of this is the same. */
const sharedBy = ['aud', 'scope', 'scp'];

/** Changes of records, for all listeners: one stream for all tabs, while there is a listener. */
export function createEvents(connection: Connection, query = ''): NamedEvents {
  const path = `/events${query && `?${query}`}`;
  const named = new Map<string, Events>();
  const listeners: Listeners = new Map();
  /** How far the log has been read; null: it is not, or it is not known yet from where. */
  let reached: number | null = null;
  const watchers = new Set<() => void>();
  /** Ends the part that this tab has in the stream; null without a listener, or while it pauses. */
  let over: ReturnType<typeof abortable> | null = null;
  /** To the other tabs, where there are any. */
  let post: Post | null = null;
  let isHolding = false;
  let isPaused = false;
  let caller = '';
  let endRest = () => {};

  const become = (status: LiveStatus, reason: string | null = null) => {
    if (events.status === status) return;
    Object.assign(events, { status, reason });
    notifyAll(watchers, (watcher) => watcher());
  };

  const start = async () => {
    if (over || isPaused || !listeners.size) return;
    become('connecting');
    over = abortable();
    const { signal } = over;
    // A stream is shared by tabs with the same caller.
    await connection.token().catch(() => {});
    // The token is not shown to other tabs. A token that names no caller shares no stream.
    const name = caller[0] === '[' && `${connection.base} ${caller} ${query}`;
    if (!signal.aborted) post = shareWithTabs(name, signal, receive, () => holdStream(signal));
  };

  const stop = (status: LiveStatus = 'off', reason?: string) => {
    over?.abort();
    over = post = null;
    isHolding = false;
    reached = null;
    become(status, reason);
  };

  const { onToken } = connection;
  /** Another user has signed in: events for the former one are dropped. */
  connection.onToken = (token) => {
    onToken(token);
    const before = caller;
    caller = callerOf(token, sharedBy);
    if (!before || before === caller || events.status === 'off') return;
    stop();
    forget(listeners);
    start();
  };

  async function holdStream(signal: AbortSignal): Promise<void> {
    if (signal.aborted) return;
    isHolding = true;
    broadcast(['status', 'connecting']);
    while (!signal.aborted) {
      const end = await followStream(connection, path, readFrom(listeners), broadcast, signal);
      if (signal.aborted) return;
      if (typeof end === 'object') {
        // Another tab may have a token that is taken: it gets the lock.
        if (!aboutCaller.includes(end.code)) return stop('ended', end.code);
        broadcast(['status', 'ended', end.code]);
        // The others would be told the same: the lock is kept.
        await new Promise<void>((resolve) => onAbort(signal, resolve));
      } else if (end !== 'token_expired') {
        broadcast(['status', end]);
        if (end !== 'connecting') broadcast(['reset', null]);
        const rest = abortable(signal);
        endRest = rest.abort;
        const restMs = end === 'connecting' ? reconnectMs * (1 + Math.random()) : pollEveryMs;
        await pause(restMs, rest.signal).catch(() => {});
      }
    }
  }

  /** To all other tabs and to this one, which may stop sharing when it hears it. */
  function broadcast(message: Message): void {
    post?.(message);
    receive(message);
  }

  function receive(message: Message): void {
    if (message[0] === 'status') become(message[1], message[2]);
    else if (message[0] !== 'hello') {
      reached = positionOf(message);
      deliver(listeners, message, reached);
    } else if (isHolding) {
      post?.(['status', events.status, events.reason]);
      if (reached !== null) post?.(['start', reached]);
    }
  }

  const events: NamedEvents = {
    status: 'off',
    reason: null,
    watch: (watcher) => subscribe(watchers, watcher),
    listen(listener) {
      // Who comes anew may be let in again.
      if (events.status === 'ended') stop();
      listeners.set(listener, listener.after);
      if (reached !== null) receive(['start', reached]);
      start();
      return () => {
        listeners.delete(listener);
        // A listener that is added at once finds the same stream.
        queueMicrotask(() => listeners.size || stop());
      };
    },
    pause() {
      isPaused = true;
      stop();
      for (const other of named.values()) other.pause();
    },
    resume() {
      isPaused = false;
      endRest();
      start();
      for (const other of named.values()) other.resume();
    },
    of(asked) {
      const { collections, in: under }: Selection =
        typeof asked === 'string' ? { collections: [asked] } : asked;
      const query = `${queryOf({ collection: collections?.join(), in: under?.join() })}`;
      const found = named.get(query) ?? createEvents(connection, query);
      if (isPaused) found.pause();
      named.set(query, found);
      return found;
    },
  };
  return events;
}
