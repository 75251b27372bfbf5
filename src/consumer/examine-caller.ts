import type { Verification, VerifiedClaims } from '../base/caller.ts';
import type { Clock } from '../base/clock.ts';
import { type ErrorCode, Refusal } from '../base/errors.ts';
import { createLog } from '../base/log.ts';
import { writeScopes } from '../base/scopes.ts';
import type { Collection } from '../collections/collection.ts';
import { CallerAccess } from '../records/caller-access.ts';
import type { ConsumerStore, StandingStore } from '../storage/port.ts';
import { createNameCaller, type RevocationNames } from './pseudonym.ts';
import { type KnownClients, Standing } from './standing.ts';

interface CallerParts {
  readonly consumers: Pick<ConsumerStore, 'find'>;
  readonly clients: KnownClients;
  readonly standing: Pick<StandingStore, 'suspendedConsumers' | 'revocations'>;
  readonly pseudonymKey: Uint8Array;
  readonly names: RevocationNames;
  readonly pseudonymIssuer: (issuer: string) => string;
  readonly ownIssuer: string;
  readonly clock: Clock;
}

/** The token was verified just now, and is not looked at again. */
const justVerified: Verification = { keys: { generation: 0 }, generation: 0 };

/** What the service knows of a caller, and the refusal if it is shut out. Registers nothing. */
export async function examineCaller(claims: VerifiedClaims, parts: CallerParts) {
  const { consumers, clients, pseudonymKey, names, pseudonymIssuer, ownIssuer, clock } = parts;
  const caller = createNameCaller(pseudonymKey, names, pseudonymIssuer)(claims, justVerified);
  const { id: pseudonym } = caller;
  const consumer = pseudonym === null ? null : await consumers.find(pseudonym);
  const standing = new Standing({
    store: { ...parts.standing, watch: async () => async () => {} },
    names,
    clients,
    ownIssuer,
    onChange: async () => {},
    clock,
    time: clock,
    log: createLog('silent'),
  });
  await standing.start();
  let refusal: ErrorCode | null = null;
  try {
    await standing.check(caller);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    refusal = error.code;
  } finally {
    await standing.stop();
  }
  return { pseudonym, registeredAt: consumer?.registeredAt ?? null, refusal };
}

/** What the caller may read and write in each collection, by the checks of the service. */
export function examineAccess(
  { subject, kind, scopes, credentialId }: VerifiedClaims,
  collections: readonly Collection[],
) {
  const bearer = { id: subject, kind, scopes, credentialId };
  /** `code` and `scope` say why not. */
  const accessTo = (collection: Collection, purpose: 'read' | 'write') => {
    try {
      const access = CallerAccess.admit(collection, bearer, purpose);
      const isForAll = purpose === 'read' ? access.visibleOwner === null : access.reachesAll;
      return { allowed: true, records: isForAll ? 'all' : 'own', code: null, scope: null };
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      const scope = error.options.scope === undefined ? null : writeScopes(error.options.scope);
      return { allowed: false, records: null, code: error.code, scope };
    }
  };
  return collections.map((collection) => ({
    name: collection.name,
    read: accessTo(collection, 'read'),
    write: accessTo(collection, 'write'),
  }));
}
