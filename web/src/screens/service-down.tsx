import { Down } from './down.tsx';

export function ServiceDown({ onRetry }: { onRetry(): void }) {
  return (
    <Down title="The service does not answer" onRetry={onRetry}>
      It may be restarting, or your connection is down. Try again in a moment.
    </Down>
  );
}
