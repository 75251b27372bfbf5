/** Resolves after a delay; rejects with the reason of the signal if that is aborted first. */
export function pause(milliseconds: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop);
      resolve();
    }, milliseconds);
    onAbort(signal, stop);
  });
}

/** Runs the task when the signal is aborted; at once if it was aborted before. */
export function onAbort(signal: AbortSignal | undefined, task: () => void): void {
  if (signal?.aborted) task();
  else signal?.addEventListener('abort', task);
}

/** A signal that is aborted by `abort` or together with the outer signal. */
export function abortable(outer?: AbortSignal) {
  const inner = new AbortController();
  return {
    signal: AbortSignal.any([outer ?? inner.signal, inner.signal]),
    abort: () => inner.abort(),
  };
}

/** Milliseconds of a monotonic clock. */
export function now(): number {
  return performance.now();
}
