import { type ErrorCode, Refusal } from '../../base/errors.ts';
import { type Finding, failed, passed, quoted } from '../../base/finding.ts';

/** One step of the verification of a token. Its advice is what a refusal comes down to, in one line. */
export interface Step extends Finding {
  /** What the service refuses the token with when it fails here first. */
  readonly code?: ErrorCode;
}

type Trouble = Parameters<typeof failed>[1];

export function failedStep(name: string, code: ErrorCode, trouble: Trouble): Step {
  return { ...failed(name, trouble), code };
}

/** A step that passes unless there is a code to refuse the token with. */
export function judged(name: string, code: ErrorCode | null, found: string, trouble: Trouble): Step {
  return code === null ? passed(name, found) : failedStep(name, code, trouble);
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
