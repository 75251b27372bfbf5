import { createBudgets } from './budgets.ts';
import { callerOf } from './caller.ts';
import { abortable, now, pause } from './pause.ts';
import { Problem, readProblem } from './problem.ts';
import { isUnknown, waitBefore } from './retry.ts';
import type { CallOptions } from './types.ts';

export interface ClientOptions {
  /** Where the service is, such as `https://api.example.org`. */
  readonly url: string;
  /**
   * The access token, asked for at every try. When the service has said that one has expired, it is asked for once more
   * and is given that one, so that it can be renewed.
   */
  readonly token: (expired?: string) => string | Promise<string>;
  readonly deadlineSeconds?: number | undefined;
  /** False: every call is sent once, but for a token that has expired. */
  readonly repeats?: boolean | undefined;
  /** Sends the requests in the place of `fetch`: for a page that proves each of them (DPoP). */
  readonly fetch?: typeof fetch | undefined;
}

/** One request. */
export interface ApiRequest {
  /** Below `/api/consumer/v1`. What has none is the overview, which is public: no token is sent along. */
  readonly path: string;
  /** GET unless it is given. */
  readonly method?: string;
  readonly body?: object | undefined;
  readonly headers?: Readonly<Record<string, string>>;
  /** Whether a second one does no harm when the first was done. GET is always so. */
  readonly mayRepeat?: boolean;
  readonly isOnce?: boolean;
}

/** What was asked for with a call, and of one that takes several requests when it has to be over, and whose it is. */
export interface Limits extends CallOptions {
  readonly endsAt?: number;
  readonly callers?: Set<string | null>;
}

type Read<T> = (answer: Response) => Promise<T>;

export type Connection = ReturnType<typeof connect>;

/** Where something can still be done about it, no try takes longer. */
const longestTryMs = 10_000;
/** Far beyond it a timer would ring at once. */
const longestTimerMs = 2e9;

/** Requests to the service: with a token, within limits, and again where that is safe. */
export function connect({
  url,
  token,
  deadlineSeconds = 30,
  repeats = true,
  fetch: ask = fetch,
}: ClientOptions) {
  const base = `${url.replace(/\/+$/, '')}/api/consumer/v1`;
  const budgets = createBudgets();

  const limits = (options?: Limits) => ({
    endsAt: now() + (options?.deadlineSeconds ?? deadlineSeconds) * 1000,
    callers: new Set<string | null>(),
    ...options,
  });

  const connection = {
    base,
    limits,
    onToken(_token: string): void {},

    async token(expired?: string): Promise<string> {
      const current = await token(expired);
      connection.onToken(current);
      return current;
    },

    /** The answer as JSON, unless it is to be read in another way. */
    async send<T>(
      request: ApiRequest,
      options?: Limits,
      read: Read<T> = (answer) => answer.json() as Promise<T>,
    ): Promise<T> {
      const { signal, endsAt, callers } = limits(options);
      const { method, mayRepeat = !method, isOnce = !repeats } = request;
      let expired: string | undefined;
      let refusal: Problem | undefined;
      for (let tries = 0; ; tries += 1) {
        signal?.throwIfAborted();
        const current = request.path && (await connection.token(expired));
        const caller = callerOf(current);
        // Another user has signed in meanwhile: requests of the former one are not continued.
        if (callers.add(caller).size > 1) throw refusal ?? new Problem(0, { code: 'caller_changed' });
        const spentMs = isOnce ? 0 : budgets.waitMs(caller, request);
        if (spentMs > 0 && now() + spentMs < endsAt) await pause(spentMs, signal);
        const longestMs = Math.min(mayRepeat && !isOnce ? longestTryMs : longestTimerMs, endsAt - now());
        const outcome = await tryOnce(request, current, signal, longestMs, read);
        if (!(outcome instanceof Problem)) return outcome;
        const isInDoubt = isUnknown(outcome) && !!method;
        outcome.maybeDone = isInDoubt || !!refusal?.maybeDone;
        refusal = outcome;
        if (outcome.code === 'token_expired' && !expired) expired = current;
        else {
          const waitMs = waitBefore(outcome, tries);
          const isLast = isOnce || (isInDoubt && !mayRepeat);
          if (isLast || now() + waitMs > endsAt) throw outcome;
          await pause(waitMs, signal);
        }
      }
    },
  };
  return connection;

  async function tryOnce<T>(
    request: ApiRequest,
    current: string,
    outer: AbortSignal | undefined,
    longestMs: number,
    read: Read<T>,
  ): Promise<T | Problem> {
    const { path, method = 'GET', body } = request;
    const { signal, abort } = abortable(outer);
    const timer = setTimeout(abort, longestMs);
    try {
      const answer = await ask(base + path, {
        method,
        cache: 'no-store',
        // The service redirects no call, and a 307 to another origin would take the body there.
        redirect: 'manual',
        headers: {
          ...(current && { authorization: `Bearer ${current}` }),
          ...(body && { 'content-type': 'application/json' }),
          ...request.headers,
        },
        body: JSON.stringify(body),
        signal,
      });
      budgets.note(callerOf(current), request, answer.headers.get('ratelimit'));
      if (!answer.ok) return await readProblem(answer);
      return await read(answer);
    } catch (error) {
      outer?.throwIfAborted();
      return new Problem(0, { code: 'service_unreachable' }, error);
    } finally {
      clearTimeout(timer);
    }
  }
}
