/** Concurrent calls with the same key share one call of `work` and its result. The next call begins anew. */
export function singleFlight<Result, Key = void>(
  work: (key: Key) => Promise<Result>,
): (key: Key) => Promise<Result> {
  const inFlight = new Map<Key, Promise<Result>>();
  return (key) => {
    const shared = inFlight.get(key);
    if (shared !== undefined) return shared;
    const call = work(key).finally(() => inFlight.delete(key));
    inFlight.set(key, call);
    return call;
  };
}
