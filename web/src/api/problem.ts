/** Why a request came to nothing: the service's problem document (RFC 9457), or that there was no answer at all. */
export interface Problem {
  /** 0 when nothing answered. */
  readonly status: number;
  /** What programs decide by. */
  readonly code: string;
  readonly title: string;
  readonly retryAfterSeconds: number | null;
  readonly etag: string | null;
  /** The whole document, for whoever wants to see it. */
  readonly document: Readonly<Record<string, unknown>>;
}

export interface FieldError {
  /** A JSON pointer into the record. */
  readonly pointer: string;
  readonly message: string;
}

export async function readProblem(answer: Response): Promise<Problem> {
  const document = (await answer.json().catch(() => ({}))) as Problem['document'];
  const seconds = Number(answer.headers.get('retry-after') ?? Number.NaN);
  return {
    status: answer.status,
    code: String(document.code ?? 'unknown'),
    title: String(document.title ?? `The service answered with status ${answer.status}.`),
    retryAfterSeconds: Number.isFinite(seconds) ? seconds : null,
    etag: answer.headers.get('etag'),
    document,
  };
}

/** No answer: the code is this page's own. */
export function silence(code: 'service_unreachable' | 'provider_unreachable'): Problem {
  const title =
    code === 'service_unreachable'
      ? 'The service does not answer.'
      : 'The token has to be renewed, and the provider does not answer.';
  return { status: 0, code, title, retryAfterSeconds: null, etag: null, document: {} };
}

export function fieldErrorsOf({ document }: Problem): readonly FieldError[] {
  return Array.isArray(document.errors) ? document.errors : [];
}
