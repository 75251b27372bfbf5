import { join } from 'node:path';
import { send, writeRequests } from '../shared/load.ts';
import { takeSample } from '../shared/sample.ts';
import { mePath, type Stage } from '../shared/stage.ts';
import { measureInTurn, medianRate, type Rate, ratio } from './in-turn.ts';
import { rateOf, startService } from './service.ts';

export interface BearerRound {
  readonly now: Rate;
  readonly before: Rate;
  readonly byRate: number;
  readonly byCpu: number;
}

const sliceSeconds = 1;

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
    return async (forSeconds: number) => {
      const load = { origin, requests, seconds: forSeconds };
      return rateOf(await takeSample(server.pid, () => send(stage.generator, load)));
    };
  };
  const askNow = await startAsking(null);
  const askBefore = await startAsking(before);
  for (const ask of [askNow, askBefore]) await ask(2 * seconds);
  const slices = await measureInTurn(
    { now: () => askNow(sliceSeconds), before: () => askBefore(sliceSeconds) },
    2 * seconds,
  );
  return {
    now: medianRate(slices, 'now'),
    before: medianRate(slices, 'before'),
    ...ratio(slices, 'now', 'before'),
  };
}
