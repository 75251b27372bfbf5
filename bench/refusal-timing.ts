import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { ask } from './ask.ts';
import { addClient, disableClient, vestibule } from './peers/vestibule.ts';
import { loadCore, runForResult, script, startServer } from './processes.ts';
import { jsonPost } from './token-line-up.ts';
import { surroundingsFor, type TokenStage } from './token-stage.ts';
import { untilReady } from './until-ready.ts';
import { meanOf, welch } from './welch.ts';

/** Who is refused, and must not learn from the time it takes which of the three it was. */
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
export async function measureRefusals(stage: TokenStage, samples: number): Promise<RefusalRound> {
  const surroundings = await surroundingsFor('refusals', stage);
  const { port, opsPort, folder } = surroundings;
  // So high that none of these failures is told to wait.
  const program = vestibule(surroundings, 'warn', { TOKEN_FAILURES_PER_MINUTE: '1000000' });
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
  const server = startServer(program, join(folder, 'output.log'));
  try {
    const readyz = `http://127.0.0.1:${opsPort}/readyz`;
    await untilReady('vestibule', server, async () => (await ask(readyz)).status === 200);
    const probe: RefusalProbe = { port, bodies, samples };
    return compare(await runForResult<RefusalTimes>(script('probe-refusals.ts', probe), 300, loadCore));
  } finally {
    await server.stop();
  }
}

function compare(times: RefusalTimes): RefusalRound {
  const all = refusalKinds.flatMap((kind) => times[kind]).sort((a, b) => a - b);
  const slow = all[Math.floor(all.length * keptPart)] ?? Number.POSITIVE_INFINITY;
  const quick = (kind: RefusalKind) => times[kind].filter((took) => took < slow);
  const means = refusalKinds.map((kind) => [kind, meanOf(times[kind])] as const);
  const pairs = refusalKinds.flatMap((one, index) =>
    refusalKinds.slice(index + 1).map((other): RefusalPair => {
      return {
        kinds: [one, other],
        differenceMicroseconds: meanOf(quick(one)) - meanOf(quick(other)),
        t: welch(times[one], times[other]),
        tWithoutSlowest: welch(quick(one), quick(other)),
      };
    }),
  );
  return { meanMicroseconds: Object.fromEntries(means) as RefusalRound['meanMicroseconds'], pairs };
}
