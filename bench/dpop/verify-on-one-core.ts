import { createPublicKey } from 'node:crypto';
import { printResult, readGiven } from '../shared/child.ts';
import { type BoundCaller, boundCallers, boundRequests, readProof, signatureHolds } from './proofs.ts';

/**
 * Checks the signatures of proofs on this thread, one after the other, and does nothing else: as many keys as the requests
 * have, all of them at hand, and proofs that are taken apart beforehand.
 */
const { seconds, keys } = readGiven<{ seconds: number; keys: number }>();
const callers = await boundCallers(keys, async () => 'a token');
const publicKeys = callers.map(({ key }: BoundCaller) => createPublicKey(key));
const proofs = boundRequests('http://127.0.0.1:8080', callers, 2 * keys).map(({ proof = '' }, index) => ({
  proof: readProof(proof),
  key: publicKeys[index % keys] as (typeof publicKeys)[number],
}));

verifyFor(0.5);
const before = process.cpuUsage();
const { checks, milliseconds } = verifyFor(seconds);
const { user, system } = process.cpuUsage(before);
printResult({ perSecond: (checks * 1000) / milliseconds, cpuMicroseconds: (user + system) / checks });

function verifyFor(duration: number) {
  const startedAt = performance.now();
  const endsAt = startedAt + duration * 1000;
  let checks = 0;
  while (performance.now() < endsAt) {
    const { proof, key } = proofs[checks % proofs.length] as (typeof proofs)[number];
    if (!signatureHolds(proof, key)) throw new Error('A good signature does not hold.');
    checks += 1;
  }
  return { checks, milliseconds: performance.now() - startedAt };
}
