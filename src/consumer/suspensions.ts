import { Buffer } from 'node:buffer';
import type { Caller } from '../base/caller.ts';
import { Refusal } from '../base/errors.ts';
import type { StandingStore } from '../storage/port.ts';
import type { KeyedDigest } from './records/keyed-digest.ts';

/**
 * Whom the operator has suspended, in memory, and the pseudonyms that they had at a provider before, whose tokens may still be
 * taken. Of those there are only digests.
 */
export class Suspensions {
  readonly #formerNames: KeyedDigest;
  #pseudonyms: ReadonlySet<string> = new Set();
  #former: ReadonlySet<string> = new Set();
  /** Callers whose pseudonym is no former one of anybody suspended, since the last change: a digest is dear. */
  #passed = new WeakSet<Caller>();

  /** By the digest with which renamings are noted. */
  constructor(formerNames: KeyedDigest) {
    this.#formerNames = formerNames;
  }

  async load(store: Pick<StandingStore, 'suspendedConsumers'>): Promise<void> {
    const suspended = await store.suspendedConsumers();
    this.#pseudonyms = new Set(suspended.map(({ id }) => id));
    this.#former = new Set(suspended.flatMap(({ former }) => (former === null ? [] : [textOf(former)])));
    this.#passed = new WeakSet();
  }

  /** Throws when the caller is suspended. */
  check(caller: Caller): void {
    const { id } = caller;
    // A look into a set of texts is dear, even when nobody is in it.
    if (id === null || this.#pseudonyms.size === 0) return;
    if (this.#pseudonyms.has(id) || this.#isFormer(id, caller)) throw new Refusal('consumer_suspended');
  }

  #isFormer(id: string, caller: Caller): boolean {
    if (this.#former.size === 0 || this.#passed.has(caller)) return false;
    if (this.#former.has(textOf(this.#formerNames.of(id)))) return true;
    this.#passed.add(caller);
    return false;
  }
}

function textOf(digest: Uint8Array): string {
  return Buffer.from(digest).toString('base64url');
}
