import { useHouse } from '../parts/context.ts';
import { Down } from './down.tsx';

export function ProviderDown({ onRetry }: { onRetry(): void }) {
  const { settings } = useHouse();
  return (
    <Down title="The provider does not answer" onRetry={onRetry}>
      To sign you in this page has to ask <strong>{new URL(settings.issuer).host}</strong>, and there is no
      answer from there. Nothing you had typed is lost.
    </Down>
  );
}
