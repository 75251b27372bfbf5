import type { Clock } from '../../base/clock.ts';
import type { RecordStore } from '../../storage/port.ts';
import type { Collection } from '../collections/collection.ts';
import type { Registry } from '../registry.ts';
import type { KeyedDigest } from './keyed-digest.ts';
import type { ReadLimit } from './read-limit.ts';
import type { TurnsByOwner } from './turns-by-owner.ts';

/** What the handlers of every collection work with. */
export interface RecordParts {
  readonly store: RecordStore;
  readonly registry: Registry;
  readonly reads: ReadLimit;
  /** At single records, those that are answered with 304 included. */
  readonly looks: ReadLimit;
  readonly erasures: ReadLimit;
  readonly turns: TurnsByOwner;
  readonly digest: KeyedDigest;
  /** When more users are new within an hour, new ones only read; 0 is never. */
  readonly newcomersPerHour: number;
  /** For a new record, at that time. */
  readonly newId: (now: number) => string;
  readonly newRevision: () => string;
  readonly clock: Clock;
}

/** The same for the handlers of one collection. */
export interface CollectionParts extends RecordParts {
  readonly collection: Collection;
  /** Where the collection is served. */
  readonly path: string;
}
