import type { VerifiedToken } from '../base/caller.ts';
import type { Revocation, StandingStore, StoredRevocation } from '../storage/port.ts';
import type { RevocationNames } from './pseudonym.ts';

/** The revocations of the database in memory, about 180 bytes each. */
export class Revocations {
  readonly #names: RevocationNames;
  readonly known: Map<string, Omit<Revocation, 'name'>> = new Map();
  readonly #counts = new Map<string, number>();
  #last: Pick<StoredRevocation, 'seq' | 'name'> = { seq: 0, name: '' };
  /** Tokens that passed since the last change: they need only one check. */
  #passed = new WeakSet<VerifiedToken>();

  constructor(names: RevocationNames) {
    this.#names = names;
  }

  /** How many revocations count towards the limit of an issuer. */
  countOf(issuer: string): number {
    return this.#counts.get(issuer) ?? 0;
  }

  async load(store: Pick<StandingStore, 'revocations'>): Promise<void> {
    for (const revocation of await this.#since(store)) {
      this.#take(revocation);
      if (revocation.seq >= this.#last.seq) this.#last = revocation;
    }
    this.#passed = new WeakSet();
  }

  /**
   * Reads the revocations after the newest known one. The database still has that row, in place or with a higher number
   * because it was stored again. If not, the database is an older one (failover, restored backup) whose numbers begin lower:
   * then all rows are read and merged.
   */
  async #since(store: Pick<StandingStore, 'revocations'>): Promise<readonly StoredRevocation[]> {
    const { seq: last, name } = this.#last;
    if (last === 0) return store.revocations(0);
    const found = await store.revocations(last - 1);
    const isKnown = (one: StoredRevocation) =>
      one.name === name && (one.seq === last || (one.movedFrom ?? 0) >= last);
    if (found.some(isKnown)) return found.filter(({ seq }) => seq > last);
    this.#last = { seq: 0, name: '' };
    return store.revocations(0);
  }

  /** Keeps the later times, as the database does: an older database revives no token. */
  #take({ name, issuedUntil, forgetAt, issuer }: Revocation): void {
    const known = this.known.get(name);
    if (known === undefined) this.#count(issuer, 1);
    this.known.set(name, {
      issuedUntil: Math.max(issuedUntil, known?.issuedUntil ?? 0),
      forgetAt: Math.max(forgetAt, known?.forgetAt ?? 0),
      issuer: known === undefined ? issuer : known.issuer,
    });
  }

  #count(issuer: string | null, change: 1 | -1): void {
    if (issuer !== null) this.#counts.set(issuer, this.countOf(issuer) + change);
  }

  forget(now: number): void {
    for (const [name, { forgetAt, issuer }] of this.known) {
      if (forgetAt > now) continue;
      this.known.delete(name);
      this.#count(issuer, -1);
    }
  }

  isRevoked(token: VerifiedToken): boolean {
    if (this.#passed.has(token)) return false;
    if (this.#namesOf(token).some((name) => this.#isNamed(token, name))) return true;
    this.#passed.add(token);
    return false;
  }

  #namesOf({ caller: { id, session }, tokenId }: VerifiedToken): readonly string[] {
    const names = this.#names;
    return [
      ...(id === null ? [] : [names.caller(id)]),
      ...(id !== null && session === null ? [names.withoutSession(id)] : []),
      ...(session === null ? [] : [session]),
      ...(tokenId === null ? [] : [names.token(tokenId)]),
    ];
  }

  /**
   * Compares whole seconds, because almost all issuers write them: a token issued in the second of the revocation is
   * refused, and a user who signs in within that second has to repeat it. A token without `iat` is refused until the
   * revocation expires; signing in again does not help, the provider has to write `iat`.
   */
  #isNamed({ issuedAtSeconds }: VerifiedToken, name: string): boolean {
    const revocation = this.known.get(name);
    if (revocation === undefined) return false;
    return (
      issuedAtSeconds === null || Math.floor(issuedAtSeconds) <= Math.floor(revocation.issuedUntil / 1000)
    );
  }
}
