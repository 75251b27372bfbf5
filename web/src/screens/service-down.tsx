import { t } from '../parts/words.ts';
import { Down } from './down.tsx';

export function ServiceDown({ onRetry }: { onRetry(): void }) {
  return (
    <Down title={t.down.service} onRetry={onRetry}>
      {t.down.serviceAdvice}
    </Down>
  );
}
