import { Declined, Unreachable } from '../session/provider.ts';
import type { Session } from '../session/session.ts';
import { type Problem, readProblem, silence } from './problem.ts';

/** What became of a request. Nothing is thrown: whoever asks has to look. */
export type Outcome<T> =
  | { readonly ok: true; readonly body: T; readonly etag: string | null }
  | { readonly ok: false; readonly problem: Problem };

interface Ask {
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** The API of the service, in the name of whoever is signed in. */
export class Api {
  readonly #base: string;
  readonly #session: Session;

  constructor(base: string, session: Session) {
    this.#base = base;
    this.#session = session;
  }

  get<T>(path: string): Promise<Outcome<T>> {
    return this.#json('GET', path, {});
  }

  post<T>(path: string, ask: Ask = {}): Promise<Outcome<T>> {
    return this.#json('POST', path, ask);
  }

  put<T>(path: string, ask: Ask): Promise<Outcome<T>> {
    return this.#json('PUT', path, ask);
  }

  remove<T>(path: string, ask: Ask = {}): Promise<Outcome<T>> {
    return this.#json('DELETE', path, ask);
  }

  /** An answer that is read piece by piece. */
  async stream(path: string): Promise<Outcome<Response>> {
    return this.#send('GET', path, {}, async (answer) => answer);
  }

  /** What the service says to the token as it is, good or not. */
  verdictOn<T>(token: string): Promise<Outcome<T>> {
    return this.#fetch('GET', '/me', token, {}, (answer) => answer.json());
  }

  #json<T>(method: string, path: string, ask: Ask): Promise<Outcome<T>> {
    return this.#send(method, path, ask, async (answer) => (answer.status === 204 ? null : answer.json()));
  }

  /** A token that has ended on the way, by a clock that is not ours, is renewed once. */
  async #send<T>(
    method: string,
    path: string,
    ask: Ask,
    read: (answer: Response) => Promise<T>,
  ): Promise<Outcome<T>> {
    try {
      const token = await this.#session.accessToken();
      const first = await this.#fetch(method, path, token, ask, read);
      if (first.ok || first.problem.code !== 'token_expired') return first;
      return this.#fetch(method, path, await this.#session.renew(), ask, read);
    } catch (error) {
      const isOfProvider = error instanceof Unreachable || error instanceof Declined;
      if (isOfProvider) return { ok: false, problem: silence('provider_unreachable') };
      throw error;
    }
  }

  async #fetch<T>(
    method: string,
    path: string,
    token: string,
    { body, headers }: Ask,
    read: (answer: Response) => Promise<T>,
  ): Promise<Outcome<T>> {
    try {
      const answer = await fetch(this.#base + path, {
        method,
        cache: 'no-store',
        headers: {
          authorization: `Bearer ${token}`,
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      if (!answer.ok) return { ok: false, problem: await readProblem(answer) };
      return { ok: true, body: await read(answer), etag: answer.headers.get('etag') };
    } catch {
      return { ok: false, problem: silence('service_unreachable') };
    }
  }
}
