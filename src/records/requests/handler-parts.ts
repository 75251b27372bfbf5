import type { Clock } from '../../base/clock.ts';
import type { KeyedDigest } from '../../base/keyed-digest.ts';
import type { Collection } from '../../collections/collection.ts';
import type { Lineage } from '../../collections/lineage.ts';
import type { RecordStore } from '../../storage/port.ts';
import type { PeopleNames } from '../people-names.ts';
import type { WriteQueue } from '../write-queue.ts';
import type { ReadLimit } from './read-limit.ts';

export interface RecordParts {
  readonly store: RecordStore;
  readonly reads: ReadLimit;
  /** Counts writes in flight, and writes that were not charged: see `countingUncharged`. */
  readonly attempts: ReadLimit;
  /** `last` is the known position of the event log. Records read afterwards include everything up to it. */
  readonly tail: { readonly last: number };
  readonly writes: Pick<WriteQueue, 'submit' | 'checkRoom'>;
  readonly digest: KeyedDigest;
  readonly names: PeopleNames;
  /** Counts wrong codes of invitations. */
  readonly guesses: ReadLimit;
  readonly clock: Clock;
}

export interface CollectionParts extends RecordParts {
  readonly collection: Collection;
  /** The collection and its ancestors. */
  readonly lineage: Lineage;
  readonly path: string;
}
