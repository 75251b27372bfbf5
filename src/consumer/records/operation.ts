import type { Answer } from '../../base/handler.ts';
import type { Consumer } from '../../storage/port.ts';
import type { CallerIdentity } from './caller-access.ts';
import type { Fields } from './fields.ts';
import type { Tags } from './preconditions.ts';

/**
 * One write, as plain data that can wait in a queue and cross to another thread: who, what is to become of which
 * record, what is expected of it, and when. Whatever is random is in it already, so that deciding is a pure function.
 */
export interface Operation {
  readonly caller: CallerIdentity;
  readonly now: number;
  readonly change: Change;
}

export type Change =
  /** The first sight of a caller. */
  { readonly kind: 'register' } | RecordChange;

export type RecordChange = { readonly collection: string; readonly id: string } & (
  | {
      readonly kind: 'create';
      readonly revision: string;
      readonly body: string;
      readonly key: IdempotencyKey | null;
    }
  /** Where nothing is yet. */
  | { readonly kind: 'create_under'; readonly revision: string; readonly body: string }
  | {
      readonly kind: 'replace';
      readonly revision: string;
      readonly body: string;
      readonly expected: Tags | null;
    }
  | {
      readonly kind: 'patch';
      readonly revision: string;
      readonly patch: Fields;
      readonly expected: Tags | null;
    }
  | {
      readonly kind: 'act';
      readonly revision: string;
      readonly action: string;
      readonly expected: Tags | null;
    }
  | { readonly kind: 'remove'; readonly expected: Tags | null }
);

/** Digests only: neither the key nor the request is kept. */
export interface IdempotencyKey {
  readonly keyDigest: Uint8Array;
  readonly requestDigest: Uint8Array;
}

/** What became of an operation that was not refused. */
export interface Done {
  readonly consumer: Consumer;
  /** Null for what has no answer of its own. */
  readonly answer: Answer | null;
}
