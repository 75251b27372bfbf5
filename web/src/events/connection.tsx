import { useEffect, useState } from 'preact/hooks';
import type { Events } from '../api/client.ts';

const words = {
  off: '',
  connecting: 'Connecting…',
  live: 'Live',
  polling: 'Asking every 15 seconds',
  lost: 'Not connected',
  ended: 'Not connected',
};

interface ConnectionProps {
  readonly events: Events;
  /** The list itself could be read. */
  readonly isRead: boolean;
}

/** Whether what is shown follows by itself what happens elsewhere. */
export function Connection({ events, isRead }: ConnectionProps) {
  const [, setStatus] = useState(events.status);
  useEffect(() => events.watch(() => setStatus(events.status)), [events]);
  // There is no stream, and the list is read now and then all the same.
  const status = events.status === 'lost' && isRead ? 'polling' : events.status;
  return (
    <p class={`connection ${status}`} role="status">
      {events.reason === 'erased' ? 'Everything was erased elsewhere' : words[status]}
    </p>
  );
}
