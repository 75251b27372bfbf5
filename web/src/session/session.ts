import { generateRandomCodeVerifier, generateRandomNonce, generateRandomState } from 'oauth4webapi';
import { t } from '../parts/words.ts';
import { fetchWithProof } from './proof-key.ts';
import { Declined, type Person, Provider, type Tokens } from './provider.ts';
import type { ProviderSettings, Settings } from './settings.ts';
import { forgetEverything, markSilentTry, rememberPerson, whereToComeBackSilently } from './traces.ts';
import { beginTrip, endTrip, type Trip } from './trip.ts';

export type Stage =
  | { readonly name: 'starting' }
  /** The browser is going to the provider: to sign in, or to sign out. */
  | { readonly name: 'leaving'; readonly isOut?: true }
  | { readonly name: 'signed-out'; readonly because: Parting | null }
  | { readonly name: 'signed-in' }
  | { readonly name: 'provider-down' };

/** Why the person is signed out, if the page should say so. */
export type Parting = 'signed-out' | 'signed-out-here' | 'ended' | 'denied' | { readonly failed: string };

interface Plan {
  readonly trip: Trip;
  readonly address: string;
}

/** The errors of a provider for prompt=none when it needs to show a page. */
const needsPerson = [
  'login_required',
  'consent_required',
  'interaction_required',
  'account_selection_required',
];

/** A token is renewed this long before it expires, or after 80 % of a short lifetime. */
const marginMs = 10_000;

/**
 * The session of the person. Tokens are only in the memory of this object. After a reload the page gets new ones from the
 * provider without a login page, while the person has a session there.
 */
export class Session {
  readonly #providers: readonly Provider[];
  readonly #listeners = new Set<() => void>();
  /** The chosen provider; the first one until the person chooses. */
  #provider: Provider;
  #stage: Stage = { name: 'starting' };
  #tokens: Tokens | null = null;
  #person: Promise<Person> | null = null;
  /** Sends requests with a proof if the tokens are bound to a key. */
  readonly fetch = fetchWithProof(() => this.#tokens?.key ?? null);
  /** Serializes requests to the provider: a refresh token can be used once. */
  #turn: Promise<unknown> = Promise.resolve();
  /** The refresh token that the provider has refused. It is not sent again. */
  #declined: string | null = null;

  constructor(settings: Settings) {
    const [first, ...others] = settings.providers;
    this.#provider = new Provider(first, settings);
    this.#providers = [this.#provider, ...others.map((one) => new Provider(one, settings))];
    // A page from the back/forward cache has an old session: it reloads.
    addEventListener('pageshow', (event) => event.persisted && location.reload());
  }

  get stage(): Stage {
    return this.#stage;
  }

  /** The provider of this sign-in. */
  get provider(): ProviderSettings {
    return this.#provider.settings;
  }

  get tokens(): Tokens | null {
    return this.#tokens;
  }

  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Finishes a sign-in, repeats it silently after a reload, or shows the page for signing in. */
  async start(): Promise<void> {
    this.#become({ name: 'starting' });
    const answer = new URLSearchParams(location.search);
    const trip = endTrip();
    if (answer.size > 0) history.replaceState(null, '', `/${trip?.returnTo ?? location.hash}`);
    if (!answer.has('code') && !answer.has('error')) {
      const issuer = whereToComeBackSilently();
      if (issuer !== null && this.#choose(issuer)) return this.#leave(true);
      return this.#signedOut(answer.get('state') === 'signed-out' ? 'signed-out' : null);
    }
    if (trip === null) return this.#signedOut({ failed: t.welcome.otherTab });
    if (!this.#choose(trip.issuer)) return this.#signedOut({ failed: t.welcome.notOffered });
    await this.#guarded(async () => this.#arrive(await this.#provider.redeem(answer, trip)), trip.silent);
  }

  async signIn({ issuer }: ProviderSettings): Promise<void> {
    if (this.#choose(issuer)) await this.#leave(false);
  }

  /** Leaves a provider that does not answer, to choose another. */
  chooseAgain(): void {
    this.#signedOut(null);
  }

  #choose(issuer: string): boolean {
    const chosen = this.#providers.find(({ settings }) => settings.issuer === issuer);
    if (chosen !== undefined) this.#provider = chosen;
    return chosen !== undefined;
  }

  /** Ends the session here at once, and at the provider if it supports that. */
  async signOut(): Promise<void> {
    const idToken = this.#tokens?.id ?? null;
    this.#drop();
    forgetEverything();
    history.replaceState(null, '', '/');
    this.#become({ name: 'leaving', isOut: true });
    try {
      const address = await this.#provider.signOutAddress(idToken);
      if (address === null) this.#signedOut('signed-out');
      else location.assign(address);
    } catch {
      this.#signedOut('signed-out-here');
    }
  }

  /** A token that is valid for a while. If the page has to go to the provider for it, the promise stays pending. */
  async accessToken(mayLeave = true): Promise<string> {
    const tokens = this.#tokens;
    const margin = Math.min(marginMs, (tokens?.lifeMs ?? 0) / 5);
    if (tokens !== null && Date.now() < tokens.expiresAtMs - margin) return tokens.access;
    return this.renew(tokens?.access, mayLeave);
  }

  /** A newer token than `old`. Simultaneous callers share one renewal. */
  renew(old = this.#tokens?.access, mayLeave = true): Promise<string> {
    return this.#inTurn(async () => {
      const current = this.#tokens;
      if (current !== null && current.access !== old) return current.access;
      this.#checkSignedIn();
      if (current?.refresh && current.refresh !== this.#declined) {
        try {
          const fresh = await this.#provider.refresh(current.refresh, current.key);
          this.#checkSignedIn();
          return this.#hold(fresh).access;
        } catch (error) {
          if (!(error instanceof Declined)) throw error;
          this.#declined = current.refresh;
        }
      }
      if (!mayLeave) throw new Declined('interaction_required', 'The page would have to go to the provider.');
      const plan = await this.#plan(true);
      this.#checkSignedIn();
      this.#depart(plan);
      return new Promise<never>(() => {});
    });
  }

  /** Stops a renewal if the person has signed out meanwhile. */
  #checkSignedIn(): void {
    if (this.#stage.name !== 'signed-in') throw new Declined('login_required', 'You are not signed in.');
  }

  /** Name and picture. They are requested once and stay in this page. */
  person(): Promise<Person> {
    this.#person ??= this.#inTurn(() => this.#askForPerson()).catch((error: unknown) => {
      this.#person = null;
      throw error;
    });
    return this.#person;
  }

  /**
   * A token for the API may not be valid at /userinfo. A refresh token is exchanged for a token that is valid only there
   * (RFC 6749 section 6). Without a refresh token the access token is used.
   */
  async #askForPerson(): Promise<Person> {
    const tokens = this.#tokens;
    if (tokens === null) throw new Declined('login_required', 'You are not signed in.');
    if (tokens.refresh === null) return this.#provider.person(tokens);
    const narrow = await this.#provider.refresh(tokens.refresh, tokens.key, 'openid profile');
    this.#checkSignedIn();
    this.#tokens = { ...tokens, refresh: narrow.refresh };
    return this.#provider.person({ ...narrow, subject: tokens.subject });
  }

  /** Goes to the provider, which shows a login page unless `silent`. */
  #leave(silent: boolean): Promise<void> {
    return this.#guarded(async () => {
      this.#become({ name: 'leaving' });
      this.#depart(await this.#plan(silent));
    }, silent);
  }

  /** Fails if the provider does not answer, so that the browser stays on this page. */
  async #plan(silent: boolean): Promise<Plan> {
    const trip = {
      issuer: this.provider.issuer,
      verifier: generateRandomCodeVerifier(),
      state: generateRandomState(),
      nonce: generateRandomNonce(),
      silent,
      returnTo: location.hash,
    };
    return { trip, address: await this.#provider.signInAddress(trip) };
  }

  #depart({ trip, address }: Plan): void {
    this.#become({ name: 'leaving' });
    beginTrip(trip);
    if (trip.silent) markSilentTry();
    location.assign(address);
  }

  #arrive(tokens: Tokens): void {
    rememberPerson({ issuer: this.provider.issuer, subject: tokens.subject ?? '' });
    this.#hold(tokens);
    this.#become({ name: 'signed-in' });
  }

  /** Turns the errors of a sign-in into a stage. */
  async #guarded(signIn: () => Promise<void>, silent: boolean): Promise<void> {
    try {
      await signIn();
    } catch (error) {
      if (!(error instanceof Declined)) return this.#become({ name: 'provider-down' });
      if (silent && needsPerson.includes(error.reason)) return this.#signedOut('ended');
      this.#signedOut(error.reason === 'access_denied' ? 'denied' : { failed: error.message });
    }
  }

  #hold(tokens: Tokens): Tokens {
    const before = this.#tokens;
    // The answer to a refresh may leave out what has not changed.
    this.#tokens = {
      ...tokens,
      id: tokens.id ?? before?.id ?? null,
      subject: tokens.subject ?? before?.subject ?? null,
    };
    this.#notify();
    return this.#tokens;
  }

  #drop(): void {
    this.#tokens = null;
    this.#person = null;
  }

  #signedOut(because: Parting | null): void {
    this.#drop();
    this.#become({ name: 'signed-out', because });
  }

  #become(stage: Stage): void {
    this.#stage = stage;
    this.#notify();
  }

  #notify(): void {
    for (const listener of this.#listeners) listener();
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const mine = this.#turn.then(work, work);
    this.#turn = mine.catch(() => {});
    return mine;
  }
}
