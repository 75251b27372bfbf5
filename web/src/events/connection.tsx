import { useEffect, useState } from 'preact/hooks';
import { useHouse } from '../parts/context.ts';

const words = {
  off: '',
  connecting: 'Connecting…',
  live: 'Live',
  polling: 'Asking every 15 seconds',
  lost: 'Not connected',
  ended: 'Not connected',
};

/** Whether what is shown follows by itself what happens elsewhere. */
export function Connection({ isRead }: { /** The list itself could be read. */ readonly isRead: boolean }) {
  const { events } = useHouse().quietApi;
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
