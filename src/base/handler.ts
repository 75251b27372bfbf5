import { Buffer } from 'node:buffer';
import type { Caller, UsedProof } from './caller.ts';
import type { RequestOrigin } from './request-origin.ts';

/** What a handler gets of a request: plain data, so that no handler knows the HTTP library. */
export interface Input extends RequestOrigin {
  readonly contentType: string | undefined;
  readonly authorization: string | undefined;
  /** The raw body; undefined when none was sent. */
  readonly body: Uint8Array | undefined;
  /** What stands in the address for the parts of the route's path that begin with a colon. */
  readonly params: Readonly<Record<string, string>>;
  /** What comes after the question mark, as it was sent; empty when nothing does. */
  readonly query: string;
  /** A request header by its name in small letters. */
  header(name: string): string | undefined;
  /** With which DPoP proof it came; null for all other requests. */
  readonly proof: UsedProof | null;
  /** Whether nobody waits for an answer any more. */
  hasHungUp(): boolean;
  /** Calls back once when the response is finished or the connection is closed; at once if it already is. */
  onClose(callback: () => void): void;
}

/** What a handler answers with. The same answer may be sent many times. */
export interface Answer {
  readonly status: number;
  /** Null when there is nothing to describe. */
  readonly contentType: string | null;
  readonly text: string;
  /** What is sent instead of the text, piece by piece; null for almost all answers. */
  readonly chunks: AsyncIterable<string> | null;
  /** What takes over once the head is sent, for as long as the caller stays; null for almost all answers. */
  readonly live: ((outlet: Outlet) => void) | null;
  readonly contentLength: string;
  readonly isAscii: boolean;
  /** Its own headers: names and values in turn, which is what Node takes with the least work. */
  readonly head: readonly string[];
  /** Null where nobody may keep the answer. */
  readonly cacheControl: string | null;
}

/** Where an answer goes that has no end of its own. */
export interface Outlet {
  /** How many bytes the caller has not taken yet. */
  readonly unsent: number;
  write(text: string): void;
  /** Writes; settles when it has left this process, or the caller is gone. */
  send(text: string): Promise<void>;
  end(): void;
  /** Hangs up at once, whatever has not been taken. */
  cut(): void;
  /** Calls back once, when it is over, however that came. */
  onClose(callback: () => void): void;
}

type OwnHeaders = Readonly<Record<string, string>>;

interface AnswerOptions {
  readonly status?: number;
  /** Besides those that every answer has (http/headers), and none of them. */
  readonly headers?: OwnHeaders;
  readonly cacheControl?: string;
}

export type PublicHandler = (input: Input) => Answer | Promise<Answer>;
/** Reached only with a token that verified. */
export type BearerHandler = (input: Input, caller: Caller) => Answer | Promise<Answer>;

const none: readonly string[] = [];

export function answer(contentType: string | null, text: string, options: AnswerOptions = {}): Answer {
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

/** An answer of unknown length, made while it is sent. */
export function stream(contentType: string, chunks: AsyncIterable<string>, options?: AnswerOptions): Answer {
  return { ...answer(contentType, '', options), chunks };
}

/** An answer that goes on until one of the two sides ends it. */
export function live(contentType: string, take: (outlet: Outlet) => void, options?: AnswerOptions): Answer {
  return { ...answer(contentType, '', options), live: take };
}

export function json(body: unknown, options?: AnswerOptions): Answer {
  return jsonText(JSON.stringify(body), options);
}

/** The same for what is JSON already. */
export function jsonText(text: string, options?: AnswerOptions): Answer {
  return answer('application/json', text, options);
}
