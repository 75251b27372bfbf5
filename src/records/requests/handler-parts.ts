import type { Clock } from '../../base/clock.ts';
import type { KeyedDigest } from '../../base/keyed-digest.ts';
import type { Collection } from '../../collections/collection.ts';
import type { Registry } from '../../consumer/registry.ts';
import type { RecordStore } from '../../storage/port.ts';
import type { WriteQueue } from '../write-queue.ts';
import type { ReadLimit } from './read-limit.ts';

/** What the handlers work with, whatever the collection. */
export interface RecordParts {
  readonly store: RecordStore;
  readonly registry: Registry;
  readonly reads: ReadLimit;
  /** Writes that are under way or came to nothing: see uncharged-writes.ts. */
  readonly attempts: ReadLimit;
  readonly erasures: ReadLimit;
  /** How far the log of events is known here: whatever is read afterwards has all that it tells up to there. */
  readonly position: () => number;
  readonly writes: Pick<WriteQueue, 'submit' | 'checkRoom'>;
  /** Forgets what was remembered of a caller's tokens. */
  readonly forgetTokensOf: (owner: string) => void;
  readonly digest: KeyedDigest;
  readonly clock: Clock;
}

interface OneCollection {
  readonly collection: Collection;
  /** Where it is served. */
  readonly path: string;
}

export type CollectionParts = RecordParts & OneCollection;
