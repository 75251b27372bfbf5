import { useApp } from '../parts/context.ts';
import { Down } from './down.tsx';

export function ProviderDown({ onRetry }: { onRetry(): void }) {
  const { session, settings } = useApp();
  const another =
    settings.providers.length === 1 ? null : (
      <button type="button" onClick={() => session.chooseAgain()}>
        Sign in with another
      </button>
    );
  return (
    <Down title="The provider does not answer" onRetry={onRetry} otherwise={another}>
      To sign you in this page has to ask <strong>{new URL(session.provider.issuer).host}</strong>, and there
      is no answer from there. Nothing you had typed is lost.
    </Down>
  );
}
