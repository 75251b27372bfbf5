import { createKeyedDigest } from '../base/keyed-digest.ts';
import type { StorageConfig } from '../config/settings.ts';
import { createRevocationNames } from '../consumer/revocation-names.ts';
import { readStorage } from './read-storage.ts';

/** All that is held about a caller; null when there is no such consumer. Times are milliseconds since 1970. */
export function inspectConsumer(config: StorageConfig, id: string) {
  return readStorage(config, async ({ consumers, records, standing }, keyring) => {
    const consumer = await consumers.find(id);
    if (consumer === null) return null;
    const names = createRevocationNames(createKeyedDigest(keyring.revocations));
    const revocations = new Map((await standing.revocations(0)).map((one) => [one.name, one.issuedUntil]));
    return {
      consumer,
      usage: await records.usage(id),
      /** Tokens issued up to then are refused. */
      signedOutAt: revocations.get(names.caller(id)) ?? null,
      /** The same for those that do not say of which session they are, because one has ended. */
      sessionEndedAt: revocations.get(names.withoutSession(id)) ?? null,
    };
  });
}
