import { Down } from './down.tsx';

export function ServiceDown({ onRetry }: { onRetry(): void }) {
  return (
    <Down title="Nobody answers the door" onRetry={onRetry}>
      The service does not answer. It may be starting anew, or your connection is down.
    </Down>
  );
}
