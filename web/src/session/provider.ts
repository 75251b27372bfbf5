import * as oauth from 'oauth4webapi';
import { t } from '../parts/words.ts';
import { createProofKey, type ProofKey } from './proof-key.ts';
import type { ProviderSettings, Settings } from './settings.ts';
import type { Trip } from './trip.ts';

/** The provider did not answer. The same request may work later. */
export class Unreachable extends Error {
  override readonly name = 'Unreachable';
}

/** The provider answered with a refusal. */
export class Declined extends Error {
  override readonly name = 'Declined';
  /** An error code of OAuth 2.0 or OpenID Connect, or of this file. */
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
  /** The key that the tokens are bound to; null for bearer tokens. */
  readonly key: ProofKey | null;
}

/** The profile that the provider sends to this page only. */
export interface Person {
  readonly name: string | null;
  readonly picture: string | null;
}

/** The lifetime of an access token if the provider names none. */
const assumedLifeSeconds = 300;

/** All requests to one provider. */
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

  /** Reads the discovery document. This also shows whether the provider answers. */
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
    if (endpoint === undefined) throw new Declined('unsupported', t.welcome.unusable);
    const address = new URL(endpoint);
    const parameters = {
      client_id: this.settings.client_id,
      redirect_uri: home(),
      response_type: 'code',
      scope: this.settings.scopes.join(' '),
      // Auth0 and others need the audience. Other providers ignore the parameter.
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

  /** Exchanges the authorization code for tokens. */
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
      const response = await oauth.processAuthorizationCodeResponse(server, this.#client, reply, checks);
      return tokensOf(response, key);
    });
  }

  /** Exchanges a refresh token for new tokens, bound to the same key. `scope` asks for fewer scopes than were granted. */
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

  /** Reads name and picture from the provider. */
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

  /** The address that ends the session at the provider; null if it has none. */
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
      // Only a development provider on this machine has no HTTPS: the service refuses any other.
      [oauth.allowInsecureRequests]: this.settings.issuer.startsWith('http:'),
      ...(key && { DPoP: key }),
    };
  }
}

/** The redirect URI that is registered at the provider. */
function home(): string {
  return `${location.origin}/`;
}

/**
 * Checks state and issuer against mix-up attacks, in which a page sends the code of one provider to another (RFC 9700
 * section 4.4). The library checks both, too; these checks have sentences for the person.
 */
function checkItIsOurs(answer: URLSearchParams, trip: Trip, issuer: string): void {
  if (answer.get('state') !== trip.state) {
    throw new Declined('unusable', t.welcome.otherSignIn);
  }
  const from = answer.get('iss');
  if (from !== null && from !== issuer) {
    throw new Declined('unusable', t.welcome.otherProvider);
  }
}

function tokensOf(answer: oauth.TokenEndpointResponse, key: ProofKey | null): Tokens {
  if (key !== null && answer.token_type !== 'dpop') throw new Declined('unbound', t.welcome.unbound);
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

/** Turns each error into `Unreachable` or `Declined`. */
async function reach<T>(ask: () => Promise<T>): Promise<T> {
  try {
    return await ask().catch((error: unknown) => {
      // The answer contained the nonce that the provider requires.
      if (!oauth.isDPoPNonceError(error)) throw error;
      return ask();
    });
  } catch (error) {
    if (error instanceof Declined) throw error;
    if (error instanceof oauth.AuthorizationResponseError || error instanceof oauth.ResponseBodyError) {
      // The provider may say why, in its own words.
      throw new Declined(error.error, error.error_description ?? t.welcome.unusable);
    }
    if (error instanceof oauth.WWWAuthenticateChallengeError)
      throw new Declined('refused', t.welcome.unusable);
    const isBroken = error instanceof Error && error.cause instanceof Response && error.cause.status >= 500;
    if (error instanceof oauth.OperationProcessingError && !isBroken) {
      throw new Declined('unusable', t.welcome.unusable);
    }
    throw new Unreachable('The provider does not answer.', { cause: error });
  }
}
