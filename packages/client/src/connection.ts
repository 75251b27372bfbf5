import { createBudgets } from './budgets.ts';
import { callerOf } from './caller.ts';
import { notifyAll, subscribe } from './notify-all.ts';
import { abortable, now, pause } from './pause.ts';
import { Problem, readProblem } from './problem.ts';
import { isUnknown, waitBefore } from './retry.ts';
import type { CallOptions } from './types.ts';

export interface ClientOptions {
  /** The address of the service, such as `https://api.example.org`. */
  readonly url: string;
  /**
   * The access token, or a function that returns it, called at every try. After `token_expired` the function is called once
   * more, with the expired token as its argument, so that it can renew it.
   */
  readonly token: string | ((expired?: string) => string | Promise<string>);
  readonly deadlineSeconds?: number | undefined;
  /** False: every call is sent once, and again only with a renewed token. */
  readonly repeats?: boolean | undefined;
  /** Replaces `fetch`, for pages that prove each request (DPoP). */
  readonly fetch?: typeof fetch | undefined;
}

export interface ApiRequest {
  /** Below `/api/consumer/v1`. Empty for the overview, which is public: no token is sent along. */
  readonly path: string;
  /** GET by default. */
  readonly method?: string;
  readonly body?: object | undefined;
  readonly headers?: Readonly<Record<string, string>>;
  /** True if the request is safe to repeat. Every GET is. */
  readonly mayRepeat?: boolean;
  readonly isOnce?: boolean;
}

/** The options of a call; for a call of several requests also its deadline and its caller. */
export interface Limits extends CallOptions {
  readonly endsAt?: number;
  readonly callers?: Set<string | null>;
}

type Read<T> = (answer: Response) => Promise<T>;

export type Connection = ReturnType<typeof connect>;

/** The timeout of a try that can be repeated. */
const longestTryMs = 10_000;
/** A timer with a longer delay (2^31 ms) would fire at once. */
const longestTimerMs = 2e9;

/** Sends requests to the service: with a token, within a deadline, and again if that is safe. */
export function connect({
  url,
  token,
  deadlineSeconds = 30,
  repeats = true,
  fetch: ask = fetch,
}: ClientOptions) {
  const giveToken = typeof token === 'string' ? () => token : token;
  // No message has the value that was found, because either could be the token.
  if (!/^https?:/i.test(url)) throw new TypeError('url: expected an http or https address');
  if (typeof giveToken !== 'function') throw new TypeError('token: expected a text or a function');
  const base = `${url.replace(/\/+$/, '')}/api/consumer/v1`;
  const budgets = createBudgets();
  const tokenListeners = new Set<(token: string) => void>();
  let lastToken = '';

  const limits = (options?: Limits) => ({
    endsAt: now() + (options?.deadlineSeconds ?? deadlineSeconds) * 1000,
    callers: new Set<string | null>(),
    ...options,
  });

  const connection = {
    base,
    limits,
    /** Calls the listener with the last token, and then with each one. The returned function removes it. */
    onToken(listener: (token: string) => void): () => void {
      listener(lastToken);
      return subscribe(tokenListeners, listener);
    },

    async token(expired?: string): Promise<string> {
      lastToken = await giveToken(expired);
      notifyAll(tokenListeners, (listener) => listener(lastToken));
      return lastToken;
    },

    /** Answers with what `read` makes of the answer: JSON by default. */
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
