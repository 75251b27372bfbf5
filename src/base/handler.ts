import { Buffer } from 'node:buffer';
import type { Caller, RequestOrigin, UsedProof, VerifiedToken } from './caller.ts';
import { Refusal } from './errors.ts';
import { recordIdForm } from './random.ts';

/** A value or its promise: waiting for a promise costs more than a short piece of work. */
export type NowOrLater<T> = T | Promise<T>;

/** Continues with the value, at once if it is there. */
export function whenReady<T, U>(value: NowOrLater<T>, next: (value: T) => NowOrLater<U>): NowOrLater<U> {
  return value instanceof Promise ? value.then(next) : next(value);
}

/** The request as a handler sees it. Handlers do not depend on HTTP. */
export interface Input extends RequestOrigin {
  readonly contentType: string | undefined;
  readonly authorization: string | undefined;
  /** The raw body; undefined without one. */
  readonly body: Uint8Array | undefined;
  /** The values of the route's `:named` segments. */
  readonly params: Readonly<Record<string, string>>;
  /** The query without the question mark, as sent. */
  readonly query: string;
  /** A header by its name in lower case. */
  header(name: string): string | undefined;
  /** The DPoP proof of the request; null if it has none. */
  readonly proof: UsedProof | null;
  /** Between two pieces of long work: waits if the slice of main-thread time is used up. */
  giveWay(): NowOrLater<void>;
  /** Before a wait for others: lets further requests of the caller begin. */
  leavePlace(): void;
  /** True once the caller has disconnected. */
  hasHungUp(): boolean;
  /** Calls back once when the response is finished or the connection is closed; at once if it already is. */
  onClose(callback: () => void): void;
}

/** The answer of a handler. The same answer may be sent many times. */
export interface Answer {
  readonly status: number;
  /** Null without a body. */
  readonly contentType: string | null;
  /** Bytes are shared by all answers that have them. */
  readonly text: string | Uint8Array;
  /** A body that is sent in pieces instead of the text; null for most answers. */
  readonly chunks: AsyncIterable<string> | null;
  /** Takes over the connection once the head is sent, until one side ends it; null for most answers. */
  readonly live: ((outlet: Outlet) => void) | null;
  readonly contentLength: string;
  readonly isAscii: boolean;
  /** Headers of this answer: names and values in turn, the form that Node handles fastest. */
  readonly head: readonly string[];
  /** Null for an answer that must not be cached. */
  readonly cacheControl: string | null;
}

export interface Outlet {
  /** Bytes that the caller has not read yet. */
  readonly unsent: number;
  write(text: string): void;
  /** Settles when the text has left this process, or the caller has disconnected. */
  send(text: string): Promise<void>;
  end(): void;
  /** Destroys the connection at once. */
  cut(): void;
  onClose(callback: () => void): void;
}

type OwnHeaders = Readonly<Record<string, string>>;

interface AnswerOptions {
  readonly status?: number;
  /** Headers in addition to those of every answer (http/headers). */
  readonly headers?: OwnHeaders;
  readonly cacheControl?: string;
}

export type PublicHandler = (input: Input) => Answer | Promise<Answer>;
export type BearerHandler = (input: Input, caller: Caller, token: VerifiedToken) => Answer | Promise<Answer>;

const none: readonly string[] = [];

export function answer(
  contentType: string | null,
  text: Answer['text'],
  options: AnswerOptions = {},
): Answer {
  const { status = 200, headers, cacheControl = null } = options;
  const byteLength = Buffer.byteLength(text);
  return {
    status,
    contentType,
    text,
    chunks: null,
    live: null,
    contentLength: String(byteLength),
    isAscii: byteLength === text.length,
    head: headers === undefined ? none : Object.entries(headers).flat(),
    cacheControl,
  };
}

/** An answer of unknown length, generated while it is sent. */
export function stream(contentType: string, chunks: AsyncIterable<string>, options?: AnswerOptions): Answer {
  return { ...answer(contentType, '', options), chunks };
}

export function live(contentType: string, take: (outlet: Outlet) => void, options?: AnswerOptions): Answer {
  return { ...answer(contentType, '', options), live: take };
}

export function json(body: unknown, options?: AnswerOptions): Answer {
  return jsonText(JSON.stringify(body), options);
}

export function jsonText(text: string, options?: AnswerOptions): Answer {
  return answer('application/json', text, options);
}

/** The id in the path. A malformed id is refused like an unknown one. */
export function recordId(
  { params }: Pick<Input, 'params'>,
  headers: Readonly<Record<string, string>> = {},
): string {
  const { id = '' } = params;
  if (!recordIdForm.test(id)) throw new Refusal('not_found', { headers });
  return id;
}
