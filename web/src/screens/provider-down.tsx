import { useApp } from '../parts/context.ts';
import { t } from '../parts/words.ts';
import { Down } from './down.tsx';

export function ProviderDown({ onRetry }: { onRetry(): void }) {
  const { session, settings } = useApp();
  const another =
    settings.providers.length === 1 ? null : (
      <button type="button" onClick={() => session.chooseAgain()}>
        {t.down.otherProvider}
      </button>
    );
  return (
    <Down title={t.down.provider} onRetry={onRetry} otherwise={another}>
      {t.down.providerAdvice(new URL(session.provider.issuer).host)}
    </Down>
  );
}
