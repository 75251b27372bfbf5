import { join } from 'node:path';
import { ask, bearer, ownHeaders } from '../shared/ask.ts';
import { measureInTurn, medianRate, type Rate, ratio } from '../shared/in-turn.ts';
import { send, spareRequests, writeRequests } from '../shared/load.ts';
import { script } from '../shared/processes.ts';
import { answers, startReady } from '../shared/ready.ts';
import { takeSample } from '../shared/sample.ts';
import { mePath, type Stage, surroundingsFor } from '../shared/stage.ts';
import { type BoundCaller, boundRequests } from './proofs.ts';
import { type ReadyService, rateOf, startService } from './service.ts';
import { verifyingRate } from './verifying-rate.ts';

interface Ratio {
  readonly byRate: number;
  readonly byCpu: number;
}

export interface BoundRound {
  readonly checks: Rate;
  readonly bare: Rate;
  readonly bound: Rate;
  readonly bareOfChecks: Ratio;
  readonly boundOfChecks: Ratio;
  readonly boundOfBare: Ratio;
}

/** A proof counts for a minute, so that they are made for one slice after the other. */
const slices = 5;

/**
 * Bound tokens that were seen before, each request with a proof of its own, beside a bare server that does one check a
 * request, and beside the checks that the core can do.
 */
export async function measureBound(callers: readonly BoundCaller[], stage: Stage): Promise<BoundRound> {
  const { seconds, newTokens } = stage.options;
  await using running = new AsyncDisposableStack();
  const ours = await startService(stage);
  running.defer(() => ours.server.stop());
  const bare = await startBare(ours.origin, stage);
  running.defer(() => bare.server.stop());
  const sendTo = async ({ server, origin, folder }: ReadyService, count: number) => {
    const requests = writeRequests(
      join(folder, 'bound.txt'),
      boundRequests(origin, callers, count + spareRequests),
    );
    const load = { origin, requests, part: { skip: 0, count }, seconds: null };
    return rateOf(await takeSample(server.pid, () => send(stage.generator, load)));
  };
  for (const { origin } of [ours, bare]) await checkForgery(origin, callers);
  // So that all callers and keys have been seen, and V8 has compiled what there is to compile.
  for (const service of [ours, bare]) await sendTo(service, newTokens);
  const measured = await measureInTurn(
    {
      checks: () => verifyingRate(seconds / slices, callers.length),
      bare: () => sendTo(bare, Math.ceil(newTokens / slices)),
      bound: () => sendTo(ours, Math.ceil(newTokens / slices)),
    },
    slices,
  );
  return {
    checks: medianRate(measured, 'checks'),
    bare: medianRate(measured, 'bare'),
    bound: medianRate(measured, 'bound'),
    bareOfChecks: ratio(measured, 'bare', 'checks'),
    boundOfChecks: ratio(measured, 'bound', 'checks'),
    boundOfBare: ratio(measured, 'bound', 'bare'),
  };
}

/** A bare server with the answer of ours. */
async function startBare(ours: string, stage: Stage): Promise<ReadyService> {
  const reply = await ask(`${ours}${mePath}`, bearer(stage.goodToken));
  const { port, folder } = await surroundingsFor('dpop-bare', stage);
  const given = { port, headers: ownHeaders(reply), body: reply.body };
  const program = script(join(import.meta.dirname, 'bare-with-a-check.ts'), given);
  const origin = `http://127.0.0.1:${port}`;
  const server = await startReady('bare', program, folder, answers(`${origin}${mePath}`));
  return { server, origin, folder };
}

/** Checks that each peer does the work: it accepts a good proof, and refuses one with another signature. */
async function checkForgery(origin: string, callers: readonly BoundCaller[]): Promise<void> {
  const [one, other] = boundRequests(origin, callers, 2).map(({ token = '', proof = '' }) => ({
    token,
    proof,
  }));
  const signedBy = (proof: string) => proof.slice(proof.lastIndexOf('.'));
  if (one === undefined || other === undefined) throw new Error('There are not two callers.');
  const { token, proof } = one;
  const forged = proof.replace(signedBy(proof), signedBy(other.proof));
  for (const [sent, expected] of [
    [forged, 403],
    [proof, 200],
  ] as const) {
    const headers = { authorization: `DPoP ${token}`, dpop: sent };
    const { status } = await ask(`${origin}${mePath}`, headers);
    if (status !== expected) throw new Error(`A proof was answered with ${status} instead of ${expected}.`);
  }
}
