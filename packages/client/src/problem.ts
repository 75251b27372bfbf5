import type { CollectionTypes } from './types.ts';
import { versionIn } from './versions.ts';

export interface FieldError {
  /** A JSON pointer into the record. */
  readonly pointer: string;
  readonly message: string;
}

type ProblemDocument = Readonly<Record<string, unknown>>;

/**
 * Codes of this package, beside those of the service: no answer, an incomplete answer, another user has signed in meanwhile,
 * or the answer is not from the service.
 */
export type ClientCode = 'service_unreachable' | 'export_incomplete' | 'caller_changed' | 'unknown';

/** Why a call failed: the problem document of the service (RFC 9457), or that nothing answered. */
export class Problem<Code extends string = string, Item = unknown> extends Error {
  override readonly name = 'Problem';
  /** 0 when nothing answered. */
  declare readonly status: number;
  /** For programs to decide by. */
  declare readonly code: Code;
  /** A sentence of the service or of this package; without one, the code or the status. */
  declare readonly title: string;
  declare readonly retryAfterSeconds: number | null;
  /** With a 412: the current record, and its version. */
  declare readonly record: Item | undefined;
  declare readonly etag: string | null;
  /** With a 422: what is wrong with which field. */
  declare readonly errors: readonly FieldError[];
  /** With a refused batch: the first refused operation, from 0. Its own problem is the `cause`. */
  declare readonly index: number | undefined;
  declare readonly document: ProblemDocument;
  /** True if the outcome of a try is unknown: the service may have done it. */
  maybeDone = false;

  constructor(status: number, document: ProblemDocument, cause?: unknown, headers?: Headers) {
    const {
      code = 'unknown',
      errors = [],
      current: record,
      title = document.code ?? `Status ${status}`,
      index,
      problem,
    } = document;
    const etag = versionIn(headers) ?? document.etag ?? null;
    const refused = problem as ProblemDocument | undefined;
    super(title as string, {
      cause: refused ? new Problem(refused.status as number, { ...refused, etag }) : cause,
    });
    const seconds = headers?.get('retry-after');
    // The service sends seconds, never a date.
    const retryAfterSeconds = seconds ? Math.max(+seconds || 1, 1) : null;
    Object.assign(this, { status, document, title, code, errors, record, etag, index, retryAfterSeconds });
  }
}

/** The problems of a call of a collection: `error as ProblemOf<Collections, 'notes', 'create'>`. */
export type ProblemOf<
  C extends { [name in keyof C]: CollectionTypes },
  Name extends keyof C,
  Of extends keyof C[Name]['problem'],
> = Problem<Extract<C[Name]['problem'][Of], string> | ClientCode, C[Name]['record']>;

export async function readProblem(answer: Response): Promise<Problem> {
  const document: unknown = await answer.json().catch((error) => {
    // An answer that is no JSON comes from an intermediary; a truncated one is no answer.
    if (error.name !== 'SyntaxError') throw error;
  });
  // JSON that is no object comes from an intermediary, too: nothing of it is kept.
  return new Problem(answer.status, { ...(document as object) }, undefined, answer.headers);
}
