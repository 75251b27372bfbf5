import type { RecordParts } from '../records/requests/handler-parts.ts';
import type { ReadLimit } from '../records/requests/read-limit.ts';
import type { Registry } from './registry.ts';

/** For the handlers below `/me`. */
export interface ConsumerParts extends Pick<RecordParts, 'store' | 'reads' | 'digest' | 'clock'> {
  readonly registry: Registry;
  readonly erasures: ReadLimit;
  /** An export that is not read holds a page in memory. */
  readonly exports: { take(owner: string): () => void };
  readonly forgetTokensOf: (owner: string) => void;
}
