import type { Verification, VerifiedClaims } from '../base/caller.ts';
import type { Clock } from '../base/clock.ts';
import { type ErrorCode, Refusal } from '../base/errors.ts';
import { createLog } from '../base/log.ts';
import type { ConsumerStore, StandingStore } from '../storage/port.ts';
import { createNameCaller } from './name-caller.ts';
import type { KeyedDigest } from './records/keyed-digest.ts';
import type { RevocationNames } from './revocation-names.ts';
import { type KnownClients, Standing } from './standing.ts';

interface CallerParts {
  readonly consumers: Pick<ConsumerStore, 'find'>;
  readonly clients: KnownClients;
  readonly standing: Pick<StandingStore, 'suspendedConsumers' | 'revocations'>;
  readonly pseudonymKey: Uint8Array;
  readonly names: RevocationNames;
  readonly formerNames: KeyedDigest;
  readonly ownIssuer: string;
  readonly clock: Clock;
}

/** The token was verified just now, and is not looked at again. */
const justVerified: Verification = { keys: { generation: () => 0 }, generation: 0 };

/** What is known of a caller and what it is shut out with, if it is, as the service would find it. Registers nobody. */
export async function examineCaller(claims: VerifiedClaims, parts: CallerParts) {
  const { consumers, clients, pseudonymKey, names, formerNames, ownIssuer, clock } = parts;
  const caller = createNameCaller(pseudonymKey, names)(claims, justVerified);
  const { id: pseudonym } = caller;
  const consumer = pseudonym === null ? null : await consumers.find(pseudonym);
  const standing = new Standing({
    store: { ...parts.standing, watch: async () => async () => {} },
    names,
    formerNames,
    clients,
    ownIssuer,
    onChange: async () => {},
    clock,
    time: clock,
    log: createLog('silent'),
  });
  await standing.start();
  const refusal = await refusalOf(() => standing.check(caller)).finally(() => standing.stop());
  return { pseudonym, registeredAt: consumer?.registeredAt ?? null, refusal };
}

async function refusalOf(check: () => void | Promise<void>): Promise<ErrorCode | null> {
  try {
    await check();
    return null;
  } catch (error) {
    if (error instanceof Refusal) return error.code;
    throw error;
  }
}
