import * as oauth from 'oauth4webapi';
import { createProofKey, type ProofKey } from './proof-key.ts';
import type { ProviderSettings, Settings } from './settings.ts';
import type { Trip } from './trip.ts';

/** The provider did not answer at all: nothing is wrong with the request, and later it may work. */
export class Unreachable extends Error {
  override readonly name = 'Unreachable';
}

/** The provider answered, and it was a no. */
export class Declined extends Error {
  override readonly name = 'Declined';
  /** As OAuth 2.0 and OpenID Connect name the reasons. */
  readonly reason: string;

  constructor(reason: string, message: string) {
    super(message);
    this.reason = reason;
  }
}

export interface Tokens {
  readonly access: string;
  readonly expiresAtMs: number;
  readonly lifeMs: number;
  readonly refresh: string | null;
  readonly id: string | null;
  readonly subject: string | null;
  /** The key that they are bound to; null for bearer tokens. */
  readonly key: ProofKey | null;
}

/** What the provider tells this page, and nobody else, about the person. */
export interface Person {
  readonly name: string | null;
  readonly picture: string | null;
}

/** How long an access token lives when the provider does not say. */
const assumedLifeSeconds = 300;

/** Everything that is said to one provider. */
export class Provider {
  readonly settings: ProviderSettings;
  readonly #client: oauth.Client;
  readonly #createKey: () => Promise<ProofKey | null>;
  #server: oauth.AuthorizationServer | null = null;

  constructor(settings: ProviderSettings, { dpop, nonce }: Pick<Settings, 'dpop' | 'nonce'>) {
    this.settings = settings;
    this.#createKey = async () => (dpop ? createProofKey(nonce) : null);
    this.#client = { client_id: settings.client_id, [oauth.clockTolerance]: 30 };
  }

  /** The provider's description of itself; also the proof that it is there. */
  async discover(): Promise<oauth.AuthorizationServer> {
    const issuer = new URL(this.settings.issuer);
    this.#server = await reach(async () => {
      const answer = await oauth.discoveryRequest(issuer, this.#options());
      return oauth.processDiscoveryResponse(issuer, answer);
    });
    return this.#server;
  }

  async signInAddress(trip: Trip): Promise<string> {
    const { authorization_endpoint: endpoint } = await this.discover();
    if (endpoint === undefined) throw new Declined('unsupported', 'The provider signs nobody in.');
    const address = new URL(endpoint);
    const parameters = {
      client_id: this.settings.client_id,
      redirect_uri: home(),
      response_type: 'code',
      scope: this.settings.scopes.join(' '),
      // Auth0 and others want to hear whom the token is for; those who do not know the word ignore it.
      audience: this.settings.audience,
      state: trip.state,
      nonce: trip.nonce,
      code_challenge: await oauth.calculatePKCECodeChallenge(trip.verifier),
      code_challenge_method: 'S256',
      ...(trip.silent ? { prompt: 'none' } : {}),
    };
    for (const [name, value] of Object.entries(parameters)) address.searchParams.set(name, value);
    return address.href;
  }

  /** The tokens for the code that the browser came back with. */
  async redeem(answer: URLSearchParams, trip: Trip): Promise<Tokens> {
    const server = await this.discover();
    checkItIsOurs(answer, trip, server.issuer);
    const key = await this.#createKey();
    return reach(async () => {
      const verified = oauth.validateAuthResponse(server, this.#client, answer, trip.state);
      const reply = await oauth.authorizationCodeGrantRequest(
        server,
        this.#client,
        oauth.None(),
        verified,
        home(),
        trip.verifier,
        this.#options(key),
      );
      const checks = { expectedNonce: trip.nonce, requireIdToken: true };
      const told = await oauth.processAuthorizationCodeResponse(server, this.#client, reply, checks);
      return tokensOf(told, key);
    });
  }

  /** New tokens for a refresh token, bound to the same key; with fewer scopes than were allowed, where `scope` says so. */
  async refresh(refreshToken: string, key: ProofKey | null, scope?: string): Promise<Tokens> {
    const server = this.#server ?? (await this.discover());
    return reach(async () => {
      const reply = await oauth.refreshTokenGrantRequest(server, this.#client, oauth.None(), refreshToken, {
        ...this.#options(key),
        ...(scope === undefined ? {} : { additionalParameters: { scope } }),
      });
      const tokens = tokensOf(await oauth.processRefreshTokenResponse(server, this.#client, reply), key);
      return { ...tokens, refresh: tokens.refresh ?? refreshToken };
    });
  }

  /** Name and picture, straight from the provider to this page. */
  async person({ access, subject, key }: Tokens): Promise<Person> {
    const server = this.#server ?? (await this.discover());
    return reach(async () => {
      const reply = await oauth.userInfoRequest(server, this.#client, access, this.#options(key));
      const expected = subject ?? oauth.skipSubjectCheck;
      const {
        name,
        picture,
        preferred_username: nick,
      } = await oauth.processUserInfoResponse(server, this.#client, expected, reply);
      return { name: name ?? nick ?? null, picture: picture ?? null };
    });
  }

  /** Where the session at the provider ends; null when it offers no such place. */
  async signOutAddress(idToken: string | null): Promise<string | null> {
    const { end_session_endpoint: endpoint } = await this.discover();
    if (endpoint === undefined) return null;
    const address = new URL(endpoint);
    address.searchParams.set('client_id', this.settings.client_id);
    address.searchParams.set('post_logout_redirect_uri', home());
    address.searchParams.set('state', 'signed-out');
    if (idToken !== null) address.searchParams.set('id_token_hint', idToken);
    return address.href;
  }

  #options(key: ProofKey | null = null) {
    return {
      // A provider on this machine is one for development; the service itself insists on HTTPS for any other.
      [oauth.allowInsecureRequests]: this.settings.issuer.startsWith('http:'),
      ...(key && { DPoP: key }),
    };
  }
}

/** The one address of this page that the provider knows. */
function home(): string {
  return `${location.origin}/`;
}

/**
 * Whoever makes this page take the answer of one provider for that of another is handed the code by the page itself
 * (RFC 9700 section 4.4). The library checks both as well; here is what is said of it.
 */
function checkItIsOurs(answer: URLSearchParams, trip: Trip, issuer: string): void {
  if (answer.get('state') !== trip.state) {
    throw new Declined('unusable', 'The answer belongs to another sign-in than the one that was begun last.');
  }
  const from = answer.get('iss');
  if (from !== null && from !== issuer) {
    throw new Declined('unusable', 'The answer is from another provider than the one that you chose.');
  }
}

function tokensOf(answer: oauth.TokenEndpointResponse, key: ProofKey | null): Tokens {
  if (key !== null && answer.token_type !== 'dpop') {
    const message =
      'The provider gave a token that is not bound to the key of this page, and only such a token is wanted here.';
    throw new Declined('unbound', message);
  }
  const lifeMs = (answer.expires_in ?? assumedLifeSeconds) * 1000;
  return {
    access: answer.access_token,
    expiresAtMs: Date.now() + lifeMs,
    lifeMs,
    refresh: answer.refresh_token ?? null,
    id: answer.id_token ?? null,
    subject: oauth.getValidatedIdTokenClaims(answer)?.sub ?? null,
    key,
  };
}

/** What goes wrong, in the two kinds that make a difference: no answer, or the answer no. */
async function reach<T>(ask: () => Promise<T>): Promise<T> {
  try {
    return await ask().catch((error: unknown) => {
      // The answer has brought the nonce that it asks for.
      if (!oauth.isDPoPNonceError(error)) throw error;
      return ask();
    });
  } catch (error) {
    if (error instanceof Declined) throw error;
    if (error instanceof oauth.AuthorizationResponseError || error instanceof oauth.ResponseBodyError) {
      throw new Declined(error.error, error.error_description ?? error.message);
    }
    if (error instanceof oauth.WWWAuthenticateChallengeError) throw new Declined('refused', error.message);
    const isBroken = error instanceof Error && error.cause instanceof Response && error.cause.status >= 500;
    if (error instanceof oauth.OperationProcessingError && !isBroken) {
      throw new Declined('unusable', error.message);
    }
    throw new Unreachable('The provider does not answer.', { cause: error });
  }
}
