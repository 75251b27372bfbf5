import type { Caller } from '../base/caller.ts';
import { Refusal } from '../base/errors.ts';
import type { RevocationStore, StoredRevocation } from '../storage/port.ts';
import type { RevocationNames } from './revocation-names.ts';

/**
 * Every process has them in memory, and the database keeps no more (`records/sweeper`). With tokens of an hour that is a
 * hundred thousand sign-outs an hour.
 */
export const mostRemembered = 100_000;

/** The tokens that were taken back, in memory. While there are none, nobody is asked anything. */
export class Revocations {
  readonly #names: RevocationNames;
  readonly #known = new Map<string, StoredRevocation>();
  /** The newest that was taken up. */
  #last: Pick<StoredRevocation, 'seq' | 'name'> = { seq: 0, name: '' };
  /** Callers that were found in good standing since the last change: one look is enough. */
  #passed = new WeakSet<Caller>();

  constructor(names: RevocationNames) {
    this.#names = names;
  }

  get size(): number {
    return this.#known.size;
  }

  /** Takes up what was noted since the last time. */
  async load(store: Pick<RevocationStore, 'revocations'>, now: number): Promise<void> {
    for (const revocation of await this.#since(store)) {
      this.#known.set(revocation.name, revocation);
      if (revocation.seq >= this.#last.seq) this.#last = revocation;
    }
    this.forget(now);
    if (this.#known.size > mostRemembered) this.#trim();
    this.#passed = new WeakSet();
  }

  /**
   * What was noted since the newest that is known, which the database still has. If it has not, it is an older one than it was
   * (a failover, a restored backup), whose numbers begin again further down: then all of it, beside what is known.
   */
  async #since(store: Pick<RevocationStore, 'revocations'>): Promise<readonly StoredRevocation[]> {
    if (this.#last.seq === 0) return store.revocations(0);
    const [newest, ...later] = await store.revocations(this.#last.seq - 1);
    if (newest?.seq === this.#last.seq && newest.name === this.#last.name) return later;
    this.#last = { seq: 0, name: '' };
    return store.revocations(0);
  }

  /** What nobody needs to know any more. */
  forget(now: number): void {
    for (const [name, { forgetAt }] of this.#known) if (forgetAt <= now) this.#known.delete(name);
  }

  /** A tenth at once, so that not every load has to sort them. */
  #trim(): void {
    const soonest = [...this.#known.values()].sort((one, other) => one.forgetAt - other.forgetAt);
    for (const { name } of soonest.slice(0, soonest.length - 0.9 * mostRemembered)) this.#known.delete(name);
  }

  /** Throws when the token was taken back. */
  check(caller: Caller): void {
    if (this.#known.size === 0 || this.#passed.has(caller)) return;
    if (this.#namesOf(caller).some((name) => this.#isOver(caller, name))) throw new Refusal('token_revoked');
    this.#passed.add(caller);
  }

  #namesOf({ id, session, tokenId }: Caller): readonly string[] {
    const names = this.#names;
    return [
      ...(id === null ? [] : [names.caller(id)]),
      ...(id !== null && session === null ? [names.withoutSession(id)] : []),
      ...(session === null ? [] : [session]),
      ...(tokenId === null ? [] : [names.token(tokenId)]),
    ];
  }

  /**
   * By whole seconds, which is what almost all issuers write: a token of the very second counts as issued before, since
   * nobody can tell. Whoever signs in again in that second has to do it once more. A token that does not say when it was
   * issued counts as issued before, too, and so does every later one like it, until the note is forgotten: signing in again
   * does not help, the provider has to write `iat`.
   */
  #isOver({ times: { issuedAtSeconds } }: Caller, name: string): boolean {
    const revocation = this.#known.get(name);
    if (revocation === undefined) return false;
    return (
      issuedAtSeconds === null || Math.floor(issuedAtSeconds) <= Math.floor(revocation.issuedUntil / 1000)
    );
  }
}
