import type { Api } from '../api/client.ts';

/**
 * A browser has six connections for all its tabs where the service speaks HTTP/1.1: a page that is not to be seen gives
 * its own back, and goes on where it was when it is seen again.
 */
const restAfterMs = 10_000;

/** Hears of events while the page is to be seen. What has ended stays so. */
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
