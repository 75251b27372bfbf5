import { type ErrorCode, Refusal } from '../../base/errors.ts';
import { type Finding, failed, passed, quoted, skipped } from '../../base/finding.ts';

/** One step of the verification of a token. Its advice is what a refusal comes down to, in one line. */
export interface Step extends Finding {
  /** What the service refuses the token with when it fails here first. */
  readonly code: ErrorCode | null;
}

export function passedStep(name: string, found: string): Step {
  return { ...passed(name, found), code: null };
}

export function skippedStep(name: string, reason: string): Step {
  return { ...skipped(name, reason), code: null };
}

export function failedStep(name: string, code: ErrorCode, trouble: Parameters<typeof failed>[1]): Step {
  return { ...failed(name, trouble), code };
}

type Tried<T> =
  | { readonly value: T; readonly code: null }
  | { readonly value: null; readonly code: ErrorCode };

/** What a check of the verifier's own comes to. */
export function tried<T>(check: () => T): Tried<T> {
  try {
    return { value: check(), code: null };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return { value: null, code: error.code };
  }
}

/** A member of a token that may be shown: a text or a list of texts, and nothing that hides in another form. */
export function shown(value: unknown): string {
  if (value === undefined) return 'none';
  const isText = (entry: unknown) => typeof entry === 'string';
  const isShowable = isText(value) || (Array.isArray(value) && value.every(isText));
  return isShowable ? quoted(value) : 'no text (not shown)';
}
