/** The returned function takes the listener away. */
export function subscribe<T>(listeners: Set<T>, listener: T): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/**
 * Calls every listener. What one of them throws keeps none of the others from being called: it is reported as what nobody
 * has caught, by the browser in its console, by Node as an uncaught exception.
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
