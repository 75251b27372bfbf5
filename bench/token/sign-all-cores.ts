import { generateKeyPairSync, randomBytes, sign } from 'node:crypto';
import { promisify } from 'node:util';
import { printResult, readGiven } from '../shared/child.ts';
import type { SigningWork } from './signing-rate.ts';

/** Signs on the threads of Node's pool, so many at a time, and does nothing else. */
const { algorithm, inFlight, seconds } = readGiven<SigningWork>();
const signAside = promisify(sign);
const { privateKey: key } =
  algorithm === 'RS256'
    ? generateKeyPairSync('rsa', { modulusLength: 2048 })
    : generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
// About as long as the header and the claims of a token.
const content = randomBytes(400);

await signFor(0.3);
const before = process.cpuUsage();
const { signatures, milliseconds } = await signFor(seconds);
const { user, system } = process.cpuUsage(before);
printResult({
  perSecond: (signatures * 1000) / milliseconds,
  cpuMicroseconds: (user + system) / signatures,
});

async function signFor(duration: number) {
  const startedAt = performance.now();
  const endsAt = startedAt + duration * 1000;
  let signatures = 0;
  const signer = async () => {
    while (performance.now() < endsAt) {
      await signAside('sha256', content, { key, dsaEncoding: 'ieee-p1363' });
      signatures += 1;
    }
  };
  await Promise.all(Array.from({ length: inFlight }, signer));
  return { signatures, milliseconds: performance.now() - startedAt };
}
