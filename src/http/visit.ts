import type { IncomingMessage, ServerResponse } from 'node:http';
import { performance } from 'node:perf_hooks';
import type { Input } from '../base/handler.ts';
import type { RefusalLimit } from './refusal-limit.ts';

/** What is known of where requests come from. */
export interface Whereabouts {
  readonly addressOf: (request: IncomingMessage) => string;
  /** Limits the refusals of protected routes by where they come from. */
  readonly refusals: RefusalLimit | null;
}

const noParams: Readonly<Record<string, string>> = {};

/** A request on its way through, whoever found its route: what the platform has of it, its name and its beginning. */
export class Visit implements Input {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly id: string;
  readonly body: Uint8Array | undefined;
  readonly params: Readonly<Record<string, string>>;
  /** On the platform's monotonic clock, in milliseconds. */
  readonly startedAt: number;
  readonly #whereabouts: Whereabouts;

  constructor(
    whereabouts: Whereabouts,
    request: IncomingMessage,
    response: ServerResponse,
    id: string,
    startedAt: number = performance.now(),
    body?: Uint8Array,
    params: Readonly<Record<string, string>> = noParams,
  ) {
    this.#whereabouts = whereabouts;
    this.request = request;
    this.response = response;
    this.id = id;
    this.startedAt = startedAt;
    this.body = body;
    this.params = params;
  }

  get contentType(): string | undefined {
    return this.request.headers['content-type'];
  }

  get authorization(): string | undefined {
    return this.request.headers.authorization;
  }

  get query(): string {
    const { url = '' } = this.request;
    const at = url.indexOf('?');
    return at === -1 ? '' : url.slice(at + 1);
  }

  header(name: string): string | undefined {
    // Those that come twice arrive as one text (see http/limits).
    return this.request.headers[name] as string | undefined;
  }

  get address(): string {
    return this.#whereabouts.addressOf(this.request);
  }

  /** Whether so many requests from there were refused of late that the next one deserves less trust. */
  isSuspicious(): boolean {
    const { refusals } = this.#whereabouts;
    return refusals?.hasCounted() === true && refusals.isReached(this.address);
  }
}
