import { useEffect, useState } from 'preact/hooks';
import type { Events } from '../api/client.ts';
import { t } from '../parts/words.ts';

interface ConnectionProps {
  readonly events: Events;
  /** True if the list could be read. */
  readonly isRead: boolean;
}

/** Shows whether the page receives live updates. */
export function Connection({ events, isRead }: ConnectionProps) {
  const [, setStatus] = useState(events.status);
  useEffect(() => events.watch(() => setStatus(events.status)), [events]);
  // Without a stream the list is read every 15 seconds.
  const status = events.status === 'lost' && isRead ? 'polling' : events.status;
  return (
    <p class={`connection ${status}`} role="status">
      {t.frame.live[events.reason === 'erased' ? 'erased' : status]}
    </p>
  );
}
