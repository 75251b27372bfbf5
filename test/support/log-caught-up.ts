import { until } from './polling.ts';
import type { Service } from './service.ts';

/** Waits until all that was to be logged so far can be read: lines come in order, and the one of a request of now comes after them. */
export async function logCaughtUp({ url, logLines }: Service): Promise<void> {
  const { headers } = await fetch(url);
  const id = headers.get('x-request-id');
  await until(
    () => logLines().filter(({ request_id }) => request_id === id).length,
    (count) => count === 1,
    `no line about ${id}`,
  );
}
