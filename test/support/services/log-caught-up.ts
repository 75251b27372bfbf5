import { until } from '../run/polling.ts';
import type { Service } from './service.ts';

/** Waits until all earlier log lines can be read: lines are in order, and a new request writes a later one. */
export async function logCaughtUp({ url, logLines }: Service): Promise<void> {
  const { headers } = await fetch(url);
  const id = headers.get('x-request-id');
  const count = () => logLines().filter(({ request_id }) => request_id === id).length;
  await until(count, 1, `no line about ${id}`);
}
