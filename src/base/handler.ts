import type { Principal } from './principal.ts';

/** What a handler gets of a request: plain data, so that no handler knows the HTTP library. */
export interface Input {
  readonly contentType: string | undefined;
  /** The raw body; undefined when none was sent. */
  readonly body: Uint8Array | undefined;
}

/** What a handler answers with. The same answer may be sent many times. */
export interface Answer {
  readonly status: number;
  /** Null when there is nothing to describe. */
  readonly contentType: string | null;
  readonly text: string;
  readonly headers: Readonly<Record<string, string>>;
}

export type PublicHandler = (input: Input) => Answer | Promise<Answer>;
/** Reached only with a token that verified. */
export type BearerHandler = (input: Input, principal: Principal) => Answer | Promise<Answer>;

export function json(body: unknown, headers: Readonly<Record<string, string>> = {}, status = 200): Answer {
  return { status, contentType: 'application/json', text: JSON.stringify(body), headers };
}
