import { sql } from 'kysely';
import type { Engine } from '../engine.ts';
import type { StandingStore } from '../port.ts';
import { revocationStore } from './revocations.ts';

export function standingStore(engine: Engine): StandingStore {
  return {
    ...revocationStore(engine),

    async suspendedConsumers() {
      const suspended = await engine.reader
        .selectFrom('consumers')
        .select('id')
        // A literal, not a parameter, so that the partial index is used.
        .where('state', '=', sql.lit('suspended'))
        .execute();
      return suspended.map(({ id }) => id);
    },

    watch: (onChange) => engine.watch(onChange),
  };
}
