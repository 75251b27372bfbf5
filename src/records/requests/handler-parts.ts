import type { Clock } from '../../base/clock.ts';
import { Refusal } from '../../base/errors.ts';
import type { Input } from '../../base/handler.ts';
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
  /** Writes that are under way or came to nothing: see write.ts. */
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

export interface CollectionParts extends RecordParts {
  readonly collection: Collection;
  /** Where it is served. */
  readonly path: string;
}

/** One spelling only, so that no record has two addresses. */
const uuidForm = /^[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

/** The id in the address. What cannot be one belongs to no record, and is refused as one that is not there. */
export function recordId(
  { params }: Pick<Input, 'params'>,
  headers: Readonly<Record<string, string>> = {},
): string {
  const { id = '' } = params;
  if (!uuidForm.test(id)) throw new Refusal('not_found', { headers });
  return id;
}
