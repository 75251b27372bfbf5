import type { Api } from '../api/client.ts';

/**
 * With HTTP/1.1 a browser has six connections for all its tabs. A hidden page closes its stream after this time, and
 * continues from the same position when it is visible again.
 */
const restAfterMs = 10_000;

/** Keeps the stream open while the page is visible. A stream that has ended is not reopened. */
export function attend({ events }: Api): void {
  let timer = 0;
  const look = () => {
    clearTimeout(timer);
    if (document.hidden) timer = setTimeout(() => events.status !== 'ended' && events.pause(), restAfterMs);
    else events.resume();
  };
  look();
  document.addEventListener('visibilitychange', look);
  addEventListener('online', () => events.resume());
}
