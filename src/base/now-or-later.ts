/** A value or its promise: waiting for a promise costs more than a short piece of work. */
export type NowOrLater<T> = T | Promise<T>;

/** Continues with the value, at once if it is there. */
export function whenReady<T, U>(value: NowOrLater<T>, next: (value: T) => NowOrLater<U>): NowOrLater<U> {
  return value instanceof Promise ? value.then(next) : next(value);
}
