import { Notice } from '../parts/notice.tsx';
import { displayMoment } from '../schema/display.ts';
import type { Loss } from './roles.ts';
import { changedTitle, lossTitles, type Version } from './use-elsewhere.ts';

interface ChangedElsewhereProps {
  readonly now: Version | Loss;
  onLoad(version: Version): void;
}

/** What is typed stays as it is until somebody says otherwise. */
export function ChangedElsewhere({ now, onLoad }: ChangedElsewhereProps) {
  if (typeof now === 'string') {
    return (
      <Notice tone="plain" title={lossTitles[now]}>
        <p>It cannot be saved any more. What you typed stays here until you leave.</p>
      </Notice>
    );
  }
  return (
    <Notice tone="plain" title={changedTitle}>
      <p>
        It was saved somewhere else ({displayMoment(now.record.updated_at)}). What you typed stays; when you
        save it, you can choose between the two.
      </p>
      <button type="button" class="small" onClick={() => onLoad(now)}>
        Load it as it is now
      </button>
    </Notice>
  );
}
