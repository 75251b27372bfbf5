import { generateKeyPairSync, randomBytes, sign, verify } from 'node:crypto';
import { printResult, readGiven } from '../shared/child.ts';

/** Checks ES256 signatures on this thread, one after the other, with a key that is at hand, and does nothing else. */
const { seconds } = readGiven<{ seconds: number }>();
const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
const dsaEncoding = 'ieee-p1363';
// About as long as the header and the claims of a proof.
const contents = Array.from({ length: 64 }, () => randomBytes(600));
const signed = contents.map((content) => ({
  content,
  signature: sign('sha256', content, { key: privateKey, dsaEncoding }),
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
    for (const { content, signature } of signed) {
      if (!verify('sha256', content, { key: publicKey, dsaEncoding }, signature))
        throw new Error('A good signature does not hold.');
    }
    checks += signed.length;
  }
  return { checks, milliseconds: performance.now() - startedAt };
}
