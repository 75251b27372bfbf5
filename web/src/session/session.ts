import { generateRandomCodeVerifier, generateRandomNonce, generateRandomState } from 'oauth4webapi';
import { fetchWithProof } from './proof-key.ts';
import { Declined, type Person, Provider, type Tokens } from './provider.ts';
import type { ProviderSettings, Settings } from './settings.ts';
import { forgetEverything, markSilentTry, rememberPerson, whereToComeBackSilently } from './traces.ts';
import { beginTrip, endTrip, type Trip } from './trip.ts';

export type Stage =
  | { readonly name: 'starting' }
  /** The browser is on its way to the provider. */
  | { readonly name: 'leaving' }
  | { readonly name: 'signed-out'; readonly because: Parting | null }
  | { readonly name: 'signed-in' }
  | { readonly name: 'provider-down' };

/** Why nobody is signed in, where there is something to say about it. */
export type Parting = 'signed-out' | 'signed-out-here' | 'ended' | 'denied' | { readonly failed: string };

interface Plan {
  readonly trip: Trip;
  readonly address: string;
}

/** What a provider says to prompt=none when it would have to show a page. */
const needsPerson = [
  'login_required',
  'consent_required',
  'interaction_required',
  'account_selection_required',
];

/** A token is renewed a little before it ends; for one that lives for seconds only, a little less before. */
const marginMs = 10_000;

/**
 * Who is signed in. Tokens are in this object and nowhere else: a reload loses them, and gets new ones from the
 * provider without a word, as long as the person has a session there.
 */
export class Session {
  readonly #providers: readonly Provider[];
  readonly #listeners = new Set<() => void>();
  /** The one that was chosen. Where there is one, nobody has to. */
  #provider: Provider;
  #stage: Stage = { name: 'starting' };
  #tokens: Tokens | null = null;
  #person: Promise<Person> | null = null;
  /** How requests are sent with its tokens: with a proof, where they are bound to a key. */
  readonly fetch = fetchWithProof(() => this.#tokens?.key ?? null);
  /** One thing at a time is asked of the provider: refresh tokens are good for one use. */
  #turn: Promise<unknown> = Promise.resolve();
  /** The refresh token that the provider has said no to, so that it is not asked again and again. */
  #declined: string | null = null;

  constructor(settings: Settings) {
    const [first, ...others] = settings.providers;
    this.#provider = new Provider(first, settings);
    this.#providers = [this.#provider, ...others.map((one) => new Provider(one, settings))];
    // A page that is fetched back from the browser's memory was left on purpose; it starts anew.
    addEventListener('pageshow', (event) => event.persisted && location.reload());
  }

  get stage(): Stage {
    return this.#stage;
  }

  /** Where whoever is signed in has signed in, or is about to. */
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

  /** Comes back from the provider, comes back without a word after a reload, or waits to be asked. */
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
    if (trip === null) return this.#signedOut({ failed: 'This sign-in was not begun in this tab.' });
    if (!this.#choose(trip.issuer)) {
      return this.#signedOut({
        failed: 'The provider where this sign-in was begun is not offered any more.',
      });
    }
    await this.#guarded(async () => this.#arrive(await this.#provider.redeem(answer, trip)), trip.silent);
  }

  async signIn({ issuer }: ProviderSettings): Promise<void> {
    if (this.#choose(issuer)) await this.#leave(false);
  }

  /** Away from a provider that does not answer, where there is another. */
  chooseAgain(): void {
    this.#signedOut(null);
  }

  #choose(issuer: string): boolean {
    const chosen = this.#providers.find(({ settings }) => settings.issuer === issuer);
    if (chosen !== undefined) this.#provider = chosen;
    return chosen !== undefined;
  }

  /** Ends the session here at once, and at the provider where that is possible. */
  async signOut(): Promise<void> {
    const idToken = this.#tokens?.id ?? null;
    this.#drop();
    forgetEverything();
    history.replaceState(null, '', '/');
    this.#become({ name: 'leaving' });
    try {
      const address = await this.#provider.signOutAddress(idToken);
      if (address === null) this.#signedOut('signed-out');
      else location.assign(address);
    } catch {
      this.#signedOut('signed-out-here');
    }
  }

  /** A token that is good for a while. Where it may leave the page for a moment and does, it never returns. */
  async accessToken(mayLeave = true): Promise<string> {
    const tokens = this.#tokens;
    const margin = Math.min(marginMs, (tokens?.lifeMs ?? 0) / 5);
    if (tokens !== null && Date.now() < tokens.expiresAtMs - margin) return tokens.access;
    return this.renew(tokens?.access, mayLeave);
  }

  /** Another token than that one. Whoever comes late gets the token that somebody else has just fetched. */
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
      if (!mayLeave) throw new Declined('interaction_required', 'The page would have to be left.');
      const plan = await this.#plan(true);
      this.#checkSignedIn();
      this.#depart(plan);
      return new Promise<never>(() => {});
    });
  }

  /** Whoever has signed out meanwhile is not signed in again by what was under way. */
  #checkSignedIn(): void {
    if (this.#stage.name !== 'signed-in') throw new Declined('login_required', 'Nobody is signed in.');
  }

  /** Name and picture. They are asked for once and stay in this page. */
  person(): Promise<Person> {
    this.#person ??= this.#inTurn(() => this.#askForPerson()).catch((error: unknown) => {
      this.#person = null;
      throw error;
    });
    return this.#person;
  }

  /**
   * A token for the API need not open /userinfo. Where there is a refresh token it is traded in for one that opens
   * nothing else (RFC 6749 section 6); without one, the token that there is has to do.
   */
  async #askForPerson(): Promise<Person> {
    const tokens = this.#tokens;
    if (tokens === null) throw new Declined('login_required', 'Nobody is signed in.');
    if (tokens.refresh === null) return this.#provider.person(tokens);
    const narrow = await this.#provider.refresh(tokens.refresh, tokens.key, 'openid profile');
    this.#checkSignedIn();
    this.#tokens = { ...tokens, refresh: narrow.refresh };
    return this.#provider.person({ ...narrow, subject: tokens.subject });
  }

  /** To the provider: with a page for the person, or without a word. */
  #leave(silent: boolean): Promise<void> {
    return this.#guarded(async () => {
      this.#become({ name: 'leaving' });
      this.#depart(await this.#plan(silent));
    }, silent);
  }

  /** Fails while the provider does not answer, so that nobody is sent to where there is nothing. */
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

  /** What came of an errand to the provider, as a stage. */
  async #guarded(errand: () => Promise<void>, silent: boolean): Promise<void> {
    try {
      await errand();
    } catch (error) {
      if (!(error instanceof Declined)) return this.#become({ name: 'provider-down' });
      if (silent && needsPerson.includes(error.reason)) return this.#signedOut('ended');
      this.#signedOut(error.reason === 'access_denied' ? 'denied' : { failed: error.message });
    }
  }

  #hold(tokens: Tokens): Tokens {
    const before = this.#tokens;
    // A refresh need not repeat what has not changed.
    this.#tokens = {
      ...tokens,
      id: tokens.id ?? before?.id ?? null,
      subject: tokens.subject ?? before?.subject ?? null,
    };
    this.#tell();
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
    this.#tell();
  }

  #tell(): void {
    for (const listener of this.#listeners) listener();
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const mine = this.#turn.then(work, work);
    this.#turn = mine.catch(() => {});
    return mine;
  }
}
