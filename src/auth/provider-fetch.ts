const fetchDeadlineMs = 5_000;
const maxDocumentBytes = 512 * 1024;

/** Why a fetch failed. A closed list, because it becomes a metric label and a log field. */
export type FetchFault =
  | 'unreachable'
  | 'timeout'
  | 'status'
  | 'too_large'
  | 'not_json'
  | 'no_usable_keys'
  | 'unexpected';

export class FetchError extends Error {
  override readonly name = 'FetchError';
  readonly fault: FetchFault;
  readonly retryAfterSeconds: number | null;

  constructor(fault: FetchFault, detail: string, retryAfterSeconds: number | null = null) {
    super(detail);
    this.fault = fault;
    this.retryAfterSeconds = retryAfterSeconds;
  }

  /** The code of a Node error, for the log (base/plain-log). */
  get code(): FetchFault {
    return this.fault;
  }
}

export interface FetchedDocument {
  readonly document: unknown;
  /** The `max-age` of the answer; null if the provider sends none. */
  readonly maxAgeSeconds: number | null;
}

/**
 * One request to a provider: one deadline for all of it, a size cap after decoding, no redirects. `stopping` aborts it;
 * `more` are additional headers.
 */
export async function fetchDocument(
  url: string,
  stopping: AbortSignal,
  more: Readonly<Record<string, string>> = {},
): Promise<FetchedDocument> {
  const signal = AbortSignal.any([AbortSignal.timeout(fetchDeadlineMs), stopping]);
  try {
    const headers = { accept: 'application/json', ...more };
    const response = await fetch(url, { signal, headers, redirect: 'manual', cache: 'no-store' });
    const { status } = response;
    if (status !== 200) {
      await response.body?.cancel();
      const retryAfter = retryAfterOf(response.headers);
      throw new FetchError('status', `the provider answered with status ${status}`, retryAfter);
    }
    const document = parseJson(await readCapped(response));
    return { document, maxAgeSeconds: maxAgeOf(response.headers.get('cache-control')) };
  } catch (error) {
    if (error instanceof FetchError) throw error;
    if (signal.aborted) throw new FetchError('timeout', `no complete answer within ${fetchDeadlineMs} ms`);
    const cause = (error as { cause?: { code?: unknown } }).cause?.code;
    throw new FetchError(
      'unreachable',
      `no connection (${typeof cause === 'string' ? cause : 'unknown reason'})`,
    );
  }
}

async function readCapped(response: Response): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.byteLength;
    if (size > maxDocumentBytes)
      throw new FetchError('too_large', `the answer is larger than ${maxDocumentBytes} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function parseJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes));
  } catch {
    throw new FetchError('not_json', 'the answer is not JSON');
  }
}

/** Parses seconds, or a date by the clock of the provider. */
function retryAfterOf(headers: Headers): number | null {
  const text = headers.get('retry-after') ?? '';
  if (/^\d{1,9}$/.test(text)) return Number(text);
  const until = Date.parse(text);
  const now = Date.parse(headers.get('date') ?? '');
  return Number.isNaN(until) || Number.isNaN(now) ? null : Math.max((until - now) / 1000, 0);
}

function maxAgeOf(cacheControl: string | null): number | null {
  if (cacheControl === null) return null;
  if (/\bno-(store|cache)\b/i.test(cacheControl)) return 0;
  const age = /\bmax-age="?(\d{1,10})/i.exec(cacheControl)?.[1];
  return age === undefined ? null : Number(age);
}
