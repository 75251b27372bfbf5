import type { Collection } from '../api/types.ts';
import { Notice } from '../parts/notice.tsx';
import { t } from '../parts/words.ts';
import { displayMoment } from '../schema/display.ts';
import { singularOf } from './collection-words.ts';
import type { Loss } from './roles.ts';
import { lossTitle, type Version } from './use-elsewhere.ts';

interface ChangedElsewhereProps {
  readonly collection: Collection;
  readonly now: Version | Loss;
  onLoad(version: Version): void;
}

/** Says that the record was changed elsewhere. What was typed is kept until the person loads the other version. */
export function ChangedElsewhere({ collection, now, onLoad }: ChangedElsewhereProps) {
  if (typeof now === 'string') {
    return (
      <Notice tone="plain" title={lossTitle(collection, now)}>
        <p>{t.record.cannotSave}</p>
      </Notice>
    );
  }
  return (
    <Notice tone="plain" title={t.record.changedElsewhere(singularOf(collection))}>
      <p>{t.record.savedElsewhere(displayMoment(now.record.updated_at))}</p>
      <button type="button" class="small" onClick={() => onLoad(now)}>
        {t.record.loadOther}
      </button>
    </Notice>
  );
}
