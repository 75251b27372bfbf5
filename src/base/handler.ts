import type { Principal } from './principal.ts';

/** What a handler gets of a request: plain data, so that no handler knows the HTTP library. */
export interface Input {
  readonly contentType: string | undefined;
  /** The raw body; undefined when none was sent. */
  readonly body: Uint8Array | undefined;
}

/** What a handler answers with. The body is sent as JSON unless `contentType` says otherwise. */
export interface Answer {
  readonly status: number;
  readonly body: unknown;
  readonly contentType?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export type PublicHandler = (input: Input) => Answer | Promise<Answer>;
/** Reached only with a token that verified. */
export type BearerHandler = (input: Input, principal: Principal) => Answer | Promise<Answer>;

export function ok(body: unknown, headers: Readonly<Record<string, string>> = {}): Answer {
  return { status: 200, body, headers };
}
