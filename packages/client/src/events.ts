import { callerOf } from './caller.ts';
import type { Connection } from './connection.ts';
import { deliver, forget, type Listeners, positionOf, readFrom } from './listeners.ts';
import { notifyAll, subscribe } from './notify-all.ts';
import { abortable, onAbort, pause } from './pause.ts';
import { queryOf } from './query.ts';
import { followStream } from './stream.ts';
import { type Message, type Post, shareWithTabs } from './tabs.ts';
import type { Events, LiveStatus, NamedEvents, Selection } from './types.ts';

/** The delay before a reconnect, with jitter of up to as much again. */
const reconnectMs = 2_000;
/** The poll interval without a stream; a stream is tried again each time. */
const pollEveryMs = 15_000;
/** Codes about the caller, which are the same for all its tabs. Other codes are about the token of one tab. */
const aboutCaller = ['erased', 'consumer_suspended', 'client_disabled'];
/** Claims that decide what a token may see. Tabs share a stream only if these and the caller are the same. */
const sharedBy = ['aud', 'scope', 'scp'];

/** Changes of records, for all listeners: one stream for all tabs, while there is a listener. */
export function createEvents(
  connection: Connection,
  query = '',
  /** Registers a named stream while it is in use. The returned function removes it. */
  register: (events: Events) => () => void = () => () => {},
): NamedEvents {
  const path = `/events${query && `?${query}`}`;
  /** Named streams with their queries, until their last listener is removed. */
  const named = new Map<Events, string>();
  const listeners: Listeners = new Map();
  /** The position up to which the log was read; null: not read, or the start is not known yet. */
  let reached: number | null = null;
  const watchers = new Set<() => void>();
  /** Ends this tab's part in the stream; null without a listener, or while it pauses. */
  let over: ReturnType<typeof abortable> | null = null;
  /** Sends a message to the other tabs; null without other tabs. */
  let post: Post | null = null;
  let isHolding = false;
  let isPaused = false;
  let caller = '';
  let endRest = () => {};
  /** Ends the subscriptions that `use` has made; null without any. */
  let unsubscribe: (() => void) | null = null;

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

  /** Another user has signed in: events for the former one are dropped. */
  const onToken = (token: string) => {
    const before = caller;
    caller = callerOf(token, sharedBy);
    if (!before || before === caller) return;
    stop();
    forget(listeners);
    start();
  };

  const use = () => {
    if (unsubscribe) return;
    const endTokens = connection.onToken(onToken);
    const unregister = register(events);
    unsubscribe = () => {
      endTokens();
      unregister();
    };
  };

  /** Without listeners nothing refers to the stream any more: a page may open thousands, one for each parent. */
  const release = () => {
    if (listeners.size || watchers.size || isPaused) return;
    unsubscribe?.();
    unsubscribe = null;
  };

  async function holdStream(signal: AbortSignal): Promise<void> {
    if (signal.aborted) return;
    isHolding = true;
    broadcast(['status', 'connecting']);
    while (!signal.aborted) {
      const end = await followStream(connection, path, readFrom(listeners), broadcast, signal);
      if (signal.aborted) return;
      if (typeof end === 'object') {
        // Another tab may have a valid token: it gets the lock.
        if (!aboutCaller.includes(end.code)) return stop('ended', end.code);
        broadcast(['status', 'ended', end.code]);
        // Other tabs would get the same answer: the lock is kept.
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

  /** Sends a message to all other tabs, and to this one, which may stop sharing because of it. */
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
    watch(watcher) {
      use();
      const end = subscribe(watchers, watcher);
      return () => {
        end();
        release();
      };
    },
    listen(listener) {
      use();
      // A new listener tries again: the caller may be admitted now.
      if (events.status === 'ended') stop();
      listeners.set(listener, listener.after);
      if (reached !== null) receive(['start', reached]);
      start();
      return () => {
        listeners.delete(listener);
        // A listener that is added at once finds the same stream.
        queueMicrotask(() => {
          if (!listeners.size) stop();
          release();
        });
      };
    },
    pause() {
      isPaused = true;
      stop();
      for (const other of named.keys()) other.pause();
    },
    resume() {
      isPaused = false;
      endRest();
      start();
      for (const other of named.keys()) other.resume();
      release();
    },
    of(asked) {
      const { collections, in: under }: Selection =
        typeof asked === 'string' ? { collections: [asked] } : asked;
      const query = `${queryOf({ collection: collections?.join(), in: under?.join() })}`;
      const register = (events: Events) => {
        named.set(events, query);
        if (isPaused) events.pause();
        return () => named.delete(events);
      };
      const [found] = [...named].find(([, known]) => known === query) ?? [];
      if (found) return found;
      const created = createEvents(connection, query, register);
      register(created);
      return created;
    },
  };
  return events;
}
