import type { Caller } from '../../base/caller.ts';
import { revocationOf, type TakenBack } from '../../base/revocation.ts';
import type { StandingStore, UsedDocument } from '../../storage/port.ts';
import type { RevocationNames } from '../revocation-names.ts';
import type { Ended } from './document-claims.ts';

/** How long a token lives at most where no setting says so: so long it is remembered that it was taken back. */
export const longestTokenLifeSeconds = 30 * 86_400;

interface TakeBackOptions {
  readonly pseudonymOf: (claims: Pick<Caller, 'issuer' | 'subject'>) => string | null;
  readonly names: RevocationNames;
  readonly store: Pick<StandingStore, 'revoke'>;
}

/** Of the provider that tells. */
export interface TokensOfProvider {
  /** All spellings of `iss`: what it tells may be spelled in another way than its tokens. */
  readonly tokenIssuers: readonly string[];
  readonly maxTokenLifetimeSeconds: number | null;
}

export type TakeBack = ReturnType<typeof createTakeBack>;

/** Notes whose tokens are taken back: how many notes are new; null when the document that says so was used before. */
export function createTakeBack({ pseudonymOf, names, store }: TakeBackOptions) {
  const namesOf = (issuer: string, { subject, sessionId }: Ended): readonly string[] => {
    const pseudonym = pseudonymOf({ issuer, subject });
    if (sessionId === null) return pseudonym === null ? [] : [names.caller(pseudonym)];
    // Many providers write no session into access tokens: one that names none may be of the session that ended.
    const unnamed = pseudonym === null ? [] : [names.withoutSession(pseudonym)];
    return [names.session(issuer, sessionId), ...unnamed];
  };

  const takenBack = (issuer: string, ended: Ended): readonly TakenBack[] =>
    namesOf(issuer, ended).map((name) => ({ name, coveredBy: names.issuer(issuer) }));

  return (
    ended: readonly Ended[],
    { tokenIssuers, maxTokenLifetimeSeconds }: TokensOfProvider,
    document: UsedDocument | null,
  ): Promise<number | null> => {
    const lifeMs = (maxTokenLifetimeSeconds ?? longestTokenLifeSeconds) * 1000;
    const revocations = ended.flatMap((one) =>
      tokenIssuers
        .flatMap((issuer) => takenBack(issuer, one))
        .map((tokens) => revocationOf(tokens, one.until, lifeMs)),
    );
    return store.revoke(revocations, { document, audit: null });
  };
}
