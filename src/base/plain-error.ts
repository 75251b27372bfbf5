import { type ErrorCode, Refusal } from './errors.ts';

/** An error in a form that goes over a line between threads. */
export interface PlainError {
  /** Of a refusal: its entry of the catalogue. */
  readonly refusal: { readonly code: ErrorCode; readonly options: object } | null;
  readonly name: string;
  readonly message: string;
  readonly stack: string | undefined;
  readonly code: unknown;
  readonly cause: PlainError | null;
}

export function toPlain(error: unknown): PlainError {
  if (!(error instanceof Error)) return toPlain(new Error(`thrown: ${typeof error}`));
  const { name, message, stack, cause } = error;
  let refusal: PlainError['refusal'] = null;
  if (error instanceof Refusal) {
    const { cause: _cause, ...options } = error.options;
    refusal = { code: error.code, options };
  }
  const { code } = error as { code?: unknown };
  return { refusal, name, message, stack, code, cause: cause === undefined ? null : toPlain(cause) };
}

/** As good as the one that was sent: the same refusal, or an error that tells the log the same. */
export function fromPlain({ refusal, name, message, stack, code, cause }: PlainError): Error {
  const reason = cause === null ? {} : { cause: fromPlain(cause) };
  if (refusal !== null) return new Refusal(refusal.code, { ...refusal.options, ...reason });
  return Object.assign(new Error(message, reason), { name, stack, code });
}
