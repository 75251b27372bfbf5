import type { RequestOrigin } from '../../base/request-origin.ts';
import type { TakeBack } from './take-back.ts';

/** A provider that tells of sessions that ended. */
export interface SignalSource {
  /** Of its entry. */
  readonly name: string;
  readonly tokenIssuers: readonly string[];
  readonly maxTokenLifetimeSeconds: number | null;
}

/** What documents of one kind are taken with. */
export interface SignOutParts<Said> {
  /** Who has signed it, and what it says; rejects with a refusal. See `auth/provider-document`. */
  readonly open: (text: string, origin: RequestOrigin) => Promise<{ source: SignalSource; said: Said }>;
  readonly takeBack: TakeBack;
  /** What the id of a document is remembered under. */
  readonly documentDigest: (id: string) => Uint8Array;
  /** Hears of it when tokens were taken back that were not before. */
  readonly onTakenBack: (by: 'logout' | 'event') => void;
}
