import type { Log } from '../base/log.ts';
import type { RevocationStore } from '../storage/port.ts';
import type { RevocationSource } from './revocations.ts';
import type { Standing } from './standing.ts';

/**
 * Notes of one source: of an issuer as it is spelled, or of a client. With tokens of an hour that is fifty thousand
 * sign-outs an hour. Each process has them in memory, 18 MB for a source whose share is full.
 */
export const mostOfOneSource = 100_000;
/** So many are left when its oldest are replaced, so that it is not done for each. */
const left = 0.9 * mostOfOneSource;
const warnedFrom = 0.8 * mostOfOneSource;

interface ShareOptions {
  readonly standing: Pick<Standing, 'revocationSources' | 'coverFor'>;
  readonly store: Pick<RevocationStore, 'cover'>;
  /** Which provider or client it is, for the log. */
  readonly describe: (coveredBy: string) => Promise<Readonly<Record<string, string>>>;
  readonly log: Log;
}

/**
 * Each source has a share of the notes, and nobody can fill that of another. When it is full the oldest notes of that source
 * are replaced by one that refuses every token of it from their time: people sign in again, and no token that says when it was
 * issued comes back to life.
 */
export class RevocationShares {
  readonly #options: ShareOptions;
  /** Of whom it was said that its share is almost full. */
  #warned: ReadonlySet<string> = new Set();

  constructor(options: ShareOptions) {
    this.#options = options;
  }

  async keep(): Promise<void> {
    const { standing, store, describe, log } = this.#options;
    const crowded = standing.revocationSources().filter(({ notes }) => notes >= warnedFrom);
    for (const { coveredBy, notes } of crowded) {
      if (notes > mostOfOneSource) {
        const cover = standing.coverFor(coveredBy, left);
        const replaced = await store.cover(cover);
        log.warn(
          {
            ...(await describe(coveredBy)),
            replaced,
            issued_until: new Date(cover.issuedUntil).toISOString(),
          },
          'more tokens were taken back than can be noted one by one: all tokens of the source issued up to then are refused',
        );
      } else if (!this.#warned.has(coveredBy)) {
        log.warn(
          { ...(await describe(coveredBy)), notes, most: mostOfOneSource },
          'many tokens were taken back: with more, all older tokens of the source will be refused',
        );
      }
    }
    this.#warned = new Set(crowded.map(({ coveredBy }) => coveredBy));
  }
}

export function fullestShare(sources: readonly RevocationSource[]): number {
  return sources.reduce((most, { notes }) => Math.max(most, notes / mostOfOneSource), 0);
}
