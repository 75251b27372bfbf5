import { residentMegabytes } from './counters.ts';
import { ours } from './line-up.ts';
import { type LoadGenerator, send, spareTokens } from './load.ts';
import { check, type Stage, startPeer } from './stage.ts';
import { signTokens } from './tokens.ts';

const steps = 40;

/** Tokens that are quick to sign: what is remembered of one is the same. */
export const memoryAlgorithm = 'ES256';

/** How Vestibule's memory grows with the number of live tokens it has seen. */
export interface MemoryStep {
  readonly tokens: number;
  readonly residentMegabytes: number;
}

/** Sends many tokens that are all different through one process, and reads its memory on the way. */
export async function measureMemory(
  stage: Stage,
  generator: LoadGenerator,
  count: number,
  say: (line: string) => void,
): Promise<readonly MemoryStep[]> {
  const part = count / steps;
  const total = steps * (part + spareTokens);
  const tokens = await signTokens(stage.provider, total, `${stage.folder}/memory-tokens.txt`);
  const ready = await startPeer(ours, stage);
  if (ready === null) throw new Error(`${ours.name} cannot be started.`);
  const { server, url } = ready;
  const taken: MemoryStep[] = [];
  const take = (sent: number) => {
    const step = { tokens: sent, residentMegabytes: Math.round(residentMegabytes(server.pid)) };
    taken.push(step);
    say(`${step.tokens.toLocaleString('en').padStart(9)} tokens  ${step.residentMegabytes} MB`);
  };
  try {
    await check(ours, url, stage);
    take(0);
    for (let step = 0; step < steps; step++) {
      const skip = step * (part + spareTokens);
      await send(generator, { url, tokens, skip, count: part, seconds: null });
      take((step + 1) * part);
    }
  } finally {
    await server.stop();
  }
  return taken;
}
