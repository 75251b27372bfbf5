import { Notice } from '../parts/notice.tsx';
import { displayMoment } from '../schema/display.ts';
import type { Loss } from './roles.ts';
import { changedTitle, lossTitles, type Version } from './use-elsewhere.ts';

interface ChangedElsewhereProps {
  readonly now: Version | Loss;
  onLoad(version: Version): void;
}

/** Says that the record was changed elsewhere. What was typed is kept until the person loads the other version. */
export function ChangedElsewhere({ now, onLoad }: ChangedElsewhereProps) {
  if (typeof now === 'string') {
    return (
      <Notice tone="plain" title={lossTitles[now]}>
        <p>You cannot save it any more. What you typed stays on this page until you leave it.</p>
      </Notice>
    );
  }
  return (
    <Notice tone="plain" title={changedTitle}>
      <p>
        It was saved elsewhere ({displayMoment(now.record.updated_at)}). What you typed is kept. When you save
        it, you can choose between the two versions.
      </p>
      <button type="button" class="small" onClick={() => onLoad(now)}>
        Load the other version
      </button>
    </Notice>
  );
}
