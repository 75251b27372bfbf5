import { join } from 'node:path';
import { residentMegabytes } from '../shared/counters.ts';
import { send, spareRequests, writeRequests } from '../shared/load.ts';
import { counted } from '../shared/markdown.ts';
import { answers, startReady } from '../shared/ready.ts';
import { writeFigures } from '../shared/report.ts';
import { mePath, type Stage, surroundingsFor } from '../shared/stage.ts';
import { signTokens } from '../shared/tokens.ts';
import { vestibule } from '../shared/vestibule.ts';

/** Past the 100,000 that are remembered at most, so that it shows whether the memory stays there. */
const allTokens = 400_000;
const quickTokens = 8_000;
const steps = 40;

/** Tokens that are quick to sign: what is remembered of one is the same. */
export const memoryAlgorithm = 'ES256';

/** How Vestibule's memory grows with the number of live tokens it has seen. */
interface MemoryStep {
  readonly tokens: number;
  readonly residentMegabytes: number;
}

/** Sends many tokens that are all different through one process, and reads its memory on the way. */
export async function measureMemory(stage: Stage): Promise<string> {
  const { options, generator, provider, folder, say } = stage;
  const count = (options.partial ? quickTokens : allTokens) / steps;
  const tokens = await signTokens(provider, steps * (count + spareRequests));
  const requests = writeRequests(
    join(folder, 'memory.txt'),
    tokens.map((token) => ({ method: 'GET', path: mePath, token })),
  );
  const surroundings = await surroundingsFor('vestibule', stage);
  const origin = `http://127.0.0.1:${surroundings.port}`;
  const isReady = answers(`http://127.0.0.1:${surroundings.opsPort}/readyz`);
  const server = await startReady('vestibule', vestibule(surroundings, 'warn'), surroundings.folder, isReady);
  const taken: MemoryStep[] = [];
  const take = (sent: number) => {
    const step = { tokens: sent, residentMegabytes: Math.round(residentMegabytes(server.pid)) };
    taken.push(step);
    say(`${counted(step.tokens).padStart(9)} tokens  ${step.residentMegabytes} MB`);
  };
  try {
    take(0);
    for (let step = 0; step < steps; step++) {
      const part = { skip: step * (count + spareRequests), count };
      await send(generator, { origin, requests, part, seconds: null });
      take((step + 1) * count);
    }
  } finally {
    await server.stop();
  }
  writeFigures('memory', stage, {}, { steps: taken });
  return `${taken.at(-1)?.residentMegabytes} MB after ${counted(count * steps)} tokens.`;
}
