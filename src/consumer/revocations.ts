import type { Caller } from '../base/caller.ts';
import { Refusal } from '../base/errors.ts';
import type { Revocation, RevocationStore, StoredRevocation } from '../storage/port.ts';
import type { RevocationNames } from './revocation-names.ts';

/** Whose notes are counted together: of one issuer, or of one client. See `revocation-shares`. */
export interface RevocationSource {
  /** Of the note that covers them all. */
  readonly coveredBy: string;
  readonly notes: number;
}

/** A note in memory: about 180 bytes with its name, as many as in the database. */
interface Note {
  readonly issuedUntil: number;
  readonly forgetAt: number;
  readonly source: { readonly coveredBy: string; notes: number } | null;
}

/** The tokens that were taken back, in memory. While there are none, nobody is asked anything. */
export class Revocations {
  readonly #names: RevocationNames;
  readonly #known = new Map<string, Note>();
  /** By the note that covers theirs. */
  readonly #sources = new Map<string, NonNullable<Note['source']>>();
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

  get sources(): readonly RevocationSource[] {
    return [...this.#sources.values()];
  }

  /** Takes up what was noted since the last time. */
  async load(store: Pick<RevocationStore, 'revocations'>): Promise<void> {
    for (const revocation of await this.#since(store)) {
      this.#take(revocation);
      if (revocation.seq >= this.#last.seq) this.#last = revocation;
    }
    this.#passed = new WeakSet();
  }

  /**
   * What was noted since the newest that is known, which the database still has, in its place or moved on because it was noted
   * again. If it has not, it is an older one than it was (a failover, a restored backup), whose numbers begin again further down:
   * then all of it, beside what is known.
   */
  async #since(store: Pick<RevocationStore, 'revocations'>): Promise<readonly StoredRevocation[]> {
    const { seq: last, name } = this.#last;
    if (last === 0) return store.revocations(0);
    const found = await store.revocations(last - 1);
    const isKnown = (note: StoredRevocation) =>
      note.name === name && (note.seq === last || (note.movedFrom ?? 0) >= last);
    if (found.some(isKnown)) return found.filter(({ seq }) => seq > last);
    this.#last = { seq: 0, name: '' };
    return store.revocations(0);
  }

  /** The later times count, as in the database: what an older database says of a name takes nothing from what is known. */
  #take({ name, issuedUntil, forgetAt, coveredBy }: Revocation): void {
    const known = this.#known.get(name);
    this.#drop(name);
    const source = coveredBy === null || known?.source === null ? null : this.#sourceOf(coveredBy);
    if (source !== null) source.notes += 1;
    this.#known.set(name, {
      issuedUntil: Math.max(issuedUntil, known?.issuedUntil ?? 0),
      forgetAt: Math.max(forgetAt, known?.forgetAt ?? 0),
      source,
    });
    if (this.#sources.has(name)) this.#dropCoveredBy(name);
  }

  #sourceOf(coveredBy: string): NonNullable<Note['source']> {
    const source = this.#sources.get(coveredBy) ?? { coveredBy, notes: 0 };
    this.#sources.set(coveredBy, source);
    return source;
  }

  #drop(name: string): void {
    const source = this.#known.get(name)?.source ?? null;
    this.#known.delete(name);
    if (source === null) return;
    source.notes -= 1;
    if (source.notes === 0) this.#sources.delete(source.coveredBy);
  }

  /** The same that the database has let go (`RevocationStore.cover`). */
  #dropCoveredBy(wider: string): void {
    const cover = this.#known.get(wider);
    if (cover === undefined) return;
    for (const [name, { issuedUntil, forgetAt, source }] of this.#known)
      if (source?.coveredBy === wider && issuedUntil <= cover.issuedUntil && forgetAt <= cover.forgetAt)
        this.#drop(name);
  }

  /** The note that can take the place of the oldest notes of a source, so that at most so many of them are left. */
  coverFor(coveredBy: string, left: number): Revocation {
    const notes = [...this.#known.values()].filter(({ source }) => source?.coveredBy === coveredBy);
    const times = Float64Array.from(notes, ({ issuedUntil }) => issuedUntil).sort();
    const issuedUntil = times.at(-left - 1) ?? 0;
    const covered = notes.filter((note) => note.issuedUntil <= issuedUntil);
    const forgetAt = covered.reduce((latest, note) => Math.max(latest, note.forgetAt), 0);
    return { name: coveredBy, issuedUntil, forgetAt, coveredBy: null };
  }

  /** What nobody needs to know any more. */
  forget(now: number): void {
    for (const [name, { forgetAt }] of this.#known) if (forgetAt <= now) this.#drop(name);
  }

  /** Throws when the token was taken back. */
  check(caller: Caller): void {
    if (this.#known.size === 0 || this.#passed.has(caller)) return;
    if (this.#namesOf(caller).some((name) => this.#isOver(caller, name))) throw new Refusal('token_revoked');
    this.#passed.add(caller);
  }

  #namesOf({ id, issuer, session, tokenId, times }: Caller): readonly string[] {
    const names = this.#names;
    return [
      ...(id === null ? [] : [names.caller(id)]),
      ...(id !== null && session === null ? [names.withoutSession(id)] : []),
      ...(session === null ? [] : [session]),
      ...(tokenId === null ? [] : [names.token(tokenId)]),
      // Of a token that does not say when it was issued it is not known: nobody could come in with such tokens any more.
      ...(times.issuedAtSeconds === null ? [] : [names.issuer(issuer)]),
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
