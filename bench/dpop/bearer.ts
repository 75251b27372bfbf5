import { join } from 'node:path';
import { send, writeRequests } from '../shared/load.ts';
import { type Sample, takeSample } from '../shared/sample.ts';
import { mePath, type Stage } from '../shared/stage.ts';
import { median } from '../shared/statistics.ts';
import { startService } from './service.ts';

export interface BearerRound {
  readonly now: Sample;
  readonly before: Sample;
  /** The median of slices that were taken within seconds of each other. */
  readonly byRate: number;
  readonly byCpu: number;
}

/** Machines that are shared change their speed from one second to the next. */
const sliceSeconds = 2;

/** Bearer tokens seen before, beside another checkout: both services are there at once, and each is asked in turn. */
export async function measureBearer(
  tokens: readonly string[],
  before: string,
  stage: Stage,
): Promise<BearerRound> {
  const { seconds } = stage.options;
  await using running = new AsyncDisposableStack();
  const startAsking = async (checkout: string | null) => {
    const { server, origin, folder } = await startService(stage, checkout);
    running.defer(() => server.stop());
    const asked = tokens.map((token) => ({ method: 'GET', path: mePath, token }) as const);
    const requests = writeRequests(join(folder, 'bearer.txt'), asked);
    const ask = (forSeconds: number) =>
      takeSample(server.pid, () => send(stage.generator, { origin, requests, seconds: forSeconds }));
    await ask(2 * seconds);
    return ask;
  };
  const askNow = await startAsking(null);
  const askBefore = await startAsking(before);
  const slices: { now: Sample; before: Sample }[] = [];
  for (let count = 0; count < seconds; count += 1) {
    // Who is first is first the next time last: a core that was idle starts slowly.
    const one = count % 2 === 0 ? await askNow(sliceSeconds) : null;
    const other = await askBefore(sliceSeconds);
    slices.push({ now: one ?? (await askNow(sliceSeconds)), before: other });
  }
  const ratio = (figure: (sample: Sample) => number) =>
    median(slices.map((slice) => figure(slice.now) / figure(slice.before)));
  const [last] = slices.slice(-1);
  if (last === undefined) throw new Error('Not a measurement: --seconds leaves no slice.');
  const byRate = ratio(({ requestsPerSecond }) => requestsPerSecond);
  return { ...last, byRate, byCpu: ratio(({ cpuMicroseconds }) => cpuMicroseconds) };
}
