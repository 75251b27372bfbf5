import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { loadCore, runForResult, script } from '../shared/processes.ts';
import { answers, startReady } from '../shared/ready.ts';
import { type Stage, surroundingsFor } from '../shared/stage.ts';
import { mean } from '../shared/statistics.ts';
import { addClient, disableClient, vestibule } from '../shared/vestibule.ts';
import { jsonPost } from './line-up.ts';
import { welch } from './welch.ts';

/** The refused clients, which must not learn from the time of the answer which of the three they are. */
export const refusalKinds = ['unknown client', 'wrong secret', 'disabled client'] as const;
export type RefusalKind = (typeof refusalKinds)[number];

export interface RefusalProbe {
  readonly port: number;
  readonly bodies: Readonly<Record<RefusalKind, string>>;
  readonly samples: number;
}

/** The microseconds of each refusal. */
export type RefusalTimes = Readonly<Record<RefusalKind, readonly number[]>>;

/** Two kinds side by side. */
export interface RefusalPair {
  readonly kinds: readonly [RefusalKind, RefusalKind];
  readonly differenceMicroseconds: number;
  readonly t: number;
  /** Without what the machine did meanwhile, a small difference shows sooner. */
  readonly tWithoutSlowest: number;
}

export interface RefusalRound {
  readonly meanMicroseconds: Readonly<Record<RefusalKind, number>>;
  readonly pairs: readonly RefusalPair[];
}

const keptPart = 0.9;

/** One fresh process with a core of its own, and the one who holds the watch on the other. */
export async function measureRefusals(stage: Stage, samples: number): Promise<RefusalRound> {
  const surroundings = await surroundingsFor('refusals', stage);
  const { port, opsPort, folder } = surroundings;
  // So high that none of these failures is told to wait.
  const program = vestibule(surroundings, 'warn', { REFUSALS_PER_MINUTE: '1000000' });
  // Names and secrets of the same length and form: what is sent is to make no difference.
  await addClient(program, 'bench-client-1');
  const disabledSecret = await addClient(program, 'bench-client-2');
  await disableClient(program, 'bench-client-2');
  const anySecret = () => `vsec_${randomBytes(32).toString('base64url')}`;
  const body = (clientId: string, clientSecret: string) => jsonPost({ clientId, clientSecret }).body;
  const bodies = {
    'unknown client': body('bench-client-3', anySecret()),
    'wrong secret': body('bench-client-1', anySecret()),
    'disabled client': body('bench-client-2', disabledSecret),
  };
  const isReady = answers(`http://127.0.0.1:${opsPort}/readyz`);
  const server = await startReady('vestibule', program, folder, isReady);
  try {
    const given: RefusalProbe = { port, bodies, samples };
    const probe = script(join(import.meta.dirname, 'probe-refusals.ts'), given);
    return compare(await runForResult<RefusalTimes>(probe, 300, loadCore));
  } finally {
    await server.stop();
  }
}

function compare(times: RefusalTimes): RefusalRound {
  const all = refusalKinds.flatMap((kind) => times[kind]).sort((a, b) => a - b);
  const slow = all[Math.floor(all.length * keptPart)] ?? Number.POSITIVE_INFINITY;
  const quick = (kind: RefusalKind) => times[kind].filter((took) => took < slow);
  const means = refusalKinds.map((kind) => [kind, mean(times[kind])] as const);
  const pairs = refusalKinds.flatMap((one, index) =>
    refusalKinds.slice(index + 1).map((other): RefusalPair => {
      return {
        kinds: [one, other],
        differenceMicroseconds: mean(quick(one)) - mean(quick(other)),
        t: welch(times[one], times[other]),
        tWithoutSlowest: welch(quick(one), quick(other)),
      };
    }),
  );
  return { meanMicroseconds: Object.fromEntries(means) as RefusalRound['meanMicroseconds'], pairs };
}
