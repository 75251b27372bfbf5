import { sql } from 'kysely';
import type { Engine } from '../engine.ts';
import type { StandingStore } from '../port.ts';
import { revocationStore } from './revocations.ts';

export function standingStore(engine: Engine): StandingStore {
  return {
    ...revocationStore(engine),

    async suspendedConsumers() {
      // In one statement: who is renamed meanwhile is found under one of its pseudonyms.
      const suspended = await engine.reader
        .selectFrom('consumers')
        .leftJoin('renamed_consumers', 'renamed_consumers.owner', 'consumers.id')
        .select(['consumers.id', 'renamed_consumers.former'])
        // Written out, so that the partial index is used.
        .where('consumers.state', '=', sql.lit('suspended'))
        .execute();
      return suspended.map(({ id, former }) => ({ id, former: former && new Uint8Array(former) }));
    },

    watch: (onChange) => engine.watch(onChange),
  };
}
