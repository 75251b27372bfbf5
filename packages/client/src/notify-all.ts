/** The returned function takes the listener away. */
export function subscribe<T>(listeners: Set<T>, listener: T): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/**
 * Calls every listener, even if one throws: its error is reported as uncaught, by the browser in its console, by Node as an
 * uncaught exception.
 */
export function notifyAll<T>(listeners: Iterable<T>, call: (listener: T) => void): void {
  for (const listener of [...listeners])
    try {
      call(listener);
    } catch (error) {
      queueMicrotask(() => {
        throw error;
      });
    }
}
