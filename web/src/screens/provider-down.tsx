import { useApp } from '../parts/context.ts';
import { Down } from './down.tsx';

export function ProviderDown({ onRetry }: { onRetry(): void }) {
  const { session, settings } = useApp();
  const another =
    settings.providers.length === 1 ? null : (
      <button type="button" onClick={() => session.chooseAgain()}>
        Use another provider
      </button>
    );
  return (
    <Down title="The provider does not answer" onRetry={onRetry} otherwise={another}>
      You sign in at <strong>{new URL(session.provider.issuer).host}</strong>, which does not answer. What you
      typed is kept. Try again in a moment.
    </Down>
  );
}
