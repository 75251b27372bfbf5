import type { Clock } from '../../base/clock.ts';
import type { ConsumerStore, RecordStore } from '../../storage/port.ts';
import type { Collection } from '../collections/collection.ts';
import type { Registry } from '../registry.ts';
import type { KeyedDigest } from './keyed-digest.ts';
import type { ReadLimit } from './read-limit.ts';
import type { TurnsByOwner } from './turns-by-owner.ts';

/** What the handlers work with that only read, whatever the collection. */
export interface RecordParts {
  readonly store: RecordStore;
  readonly registry: Registry;
  readonly reads: ReadLimit;
  /** Writes that are under way or came to nothing: see uncharged-writes.ts. */
  readonly attempts: ReadLimit;
  readonly erasures: ReadLimit;
  /** Forgets what was remembered of a caller's tokens. */
  readonly forgetTokensOf: (owner: string) => void;
  readonly digest: KeyedDigest;
  readonly clock: Clock;
}

/** The same for those that write. They are on another thread: see write-thread.ts. */
export interface WriteParts {
  readonly store: Pick<RecordStore, 'write'>;
  readonly consumers: Pick<ConsumerStore, 'register'>;
  readonly turns: TurnsByOwner;
  readonly digest: KeyedDigest;
  /** When more users are new within an hour, new ones only read; 0 is never. */
  readonly newcomersPerHour: number;
  /** For a new record, at that time. */
  readonly newId: (now: number) => string;
  readonly newRevision: () => string;
  readonly clock: Pick<Clock, 'now'>;
}

interface OneCollection {
  readonly collection: Collection;
  /** Where it is served. */
  readonly path: string;
}

export type CollectionParts = RecordParts & OneCollection;
export type CollectionWriteParts = WriteParts & OneCollection;
