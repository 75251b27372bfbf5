import { useEffect, useState } from 'preact/hooks';
import type { Events } from '../api/client.ts';

const words = {
  off: '',
  connecting: 'Connecting…',
  live: 'Live',
  polling: 'Updates every 15 seconds',
  lost: 'Not connected',
  ended: 'Not connected',
};

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
      {events.reason === 'erased' ? 'Everything was erased elsewhere' : words[status]}
    </p>
  );
}
