import { useState } from 'preact/hooks';
import type { GroupDraft } from '../schema/draft.ts';
import { dropDraft, findDraft, keepDraft } from '../session/traces.ts';

export interface KeptDraft {
  readonly draft: GroupDraft;
  /** Of a record that exists, the version that is being changed; of a new one, the key of the try. */
  readonly version: string;
}

/** What is typed survives a reload and a trip to the provider: it is kept in this tab until it is saved or thrown away. */
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
