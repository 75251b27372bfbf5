import { useState } from 'preact/hooks';
import type { GroupDraft } from '../schema/draft.ts';
import { dropDraft, findDraft, keepDraft } from '../session/traces.ts';

export interface KeptDraft {
  readonly draft: GroupDraft;
  /** The version that is changed; for a new record the idempotency key. */
  readonly version: string;
}

/** Keeps what is typed in the storage of the tab, so that it survives a reload or a sign-in, until it is saved or discarded. */
export function useDraft(name: string, begin: () => KeptDraft) {
  const [isOld, setOld] = useState(() => findDraft(name) !== null);
  const [kept, setKept] = useState<KeptDraft>(() => findDraft<KeptDraft>(name) ?? begin());
  const change = (next: KeptDraft) => {
    keepDraft(name, next);
    setKept(next);
  };
  const startFrom = (fresh: KeptDraft) => {
    dropDraft(name);
    setOld(false);
    setKept(fresh);
  };
  const drop = () => startFrom(begin());
  return { kept, isOld, change, drop, startFrom };
}
