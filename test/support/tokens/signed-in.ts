import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { devPassword } from '../../../src/cli/dev/accounts.ts';

interface Frontend {
  readonly origin: string;
  readonly clientId: string;
  readonly redirectUri: string;
  /** Scopes besides `openid consumer`. */
  readonly scopes?: readonly string[];
}

type Tokens = Readonly<Record<'access_token' | 'id_token', string>>;

/** A user who has signed in at the development provider, as in a browser, with a session of its own. */
export class SignedIn {
  readonly accessToken: string;
  readonly #idToken: string;
  readonly #browser: Browser;
  readonly #frontend: Frontend;

  private constructor(frontend: Frontend, browser: Browser, tokens: Tokens) {
    this.#frontend = frontend;
    this.#browser = browser;
    this.accessToken = tokens.access_token;
    this.#idToken = tokens.id_token;
  }

  static async signIn(frontend: Frontend, user: string): Promise<SignedIn> {
    const { origin, clientId, redirectUri, scopes = [] } = frontend;
    const browser = new Browser(origin);
    const verifier = randomBytes(32).toString('base64url');
    const query = new URLSearchParams({
      client_id: clientId,
      redirect_uri: redirectUri,
      response_type: 'code',
      scope: ['openid', 'consumer', ...scopes].join(' '),
      state: 'any',
      code_challenge: createHash('sha256').update(verifier).digest('base64url'),
      code_challenge_method: 'S256',
    });
    let at = await browser.follow(`/auth?${query}`);
    at = await browser.follow(at, { user, password: devPassword });
    const code = new URL(at).searchParams.get('code');
    assert.ok(code, at);
    const form = { grant_type: 'authorization_code', client_id: clientId, redirect_uri: redirectUri, code };
    const response = await fetch(`${origin}/token`, {
      method: 'POST',
      body: new URLSearchParams({ ...form, code_verifier: verifier }),
    });
    const tokens = (await response.json()) as Tokens;
    assert.equal(response.status, 200, JSON.stringify(tokens));
    return new SignedIn(frontend, browser, tokens);
  }

  async signOut(): Promise<void> {
    const query = new URLSearchParams({ id_token_hint: this.#idToken, client_id: this.#frontend.clientId });
    const page = await this.#browser.get(`/session/end?${query}`);
    const xsrf = /name="xsrf" value="([^"]+)"/.exec(page)?.[1];
    assert.ok(xsrf, page);
    await this.#browser.follow('/session/end/confirm', { xsrf, logout: 'yes' });
  }
}

/** Keeps cookies and follows redirects within one origin, and nothing else. */
class Browser {
  readonly #origin: string;
  readonly #cookies = new Map<string, string>();

  constructor(origin: string) {
    this.#origin = origin;
  }

  async get(path: string): Promise<string> {
    return (await this.#send(path)).text();
  }

  /** Where it ends: the page that is shown, or an address elsewhere. */
  async follow(from: string, form?: Record<string, string>): Promise<string> {
    let [at, body] = [new URL(from, this.#origin).href, form];
    for (let hop = 0; hop < 10; hop += 1) {
      const response = await this.#send(at, body);
      const location = response.headers.get('location');
      if (location === null) return at;
      at = new URL(location, at).href;
      body = undefined;
      if (!at.startsWith(this.#origin)) return at;
    }
    throw new Error(`redirected too often, to ${at}`);
  }

  async #send(path: string, form?: Record<string, string>): Promise<Response> {
    const response = await fetch(new URL(path, this.#origin), {
      redirect: 'manual',
      headers: { cookie: [...this.#cookies].map(([name, value]) => `${name}=${value}`).join('; ') },
      ...(form === undefined ? {} : { method: 'POST', body: new URLSearchParams(form) }),
    });
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      if (value === '') this.#cookies.delete(name);
      else this.#cookies.set(name, value);
    }
    return response;
  }
}
