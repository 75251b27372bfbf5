import assert from 'node:assert/strict';
import { it } from 'node:test';
import { request, withToken } from '../support/http/request.ts';
import { concurrently, tally } from '../support/load/flood.ts';
import { atOnce, deployment } from '../support/services/deployment.ts';
import { me } from '../support/services/service.ts';
import { forged } from '../support/tokens/forged-token.ts';
import { makeKey } from '../support/tokens/provider.ts';

const running = deployment({ settings: { REFUSALS_PER_MINUTE: '20', READS_PER_MINUTE: '100000' } });

it('[G174] valid new tokens are accepted during a flood of forged ones from the same address', async () => {
  const { service, provider } = running();
  const stranger = await makeKey(provider.key.kid);
  // Signed before the flood: a refused token is verified again each time.
  const bad = await atOnce(20, async (index) => forged(stranger, provider.claims({ jti: `${index}` })));
  const good = await atOnce(150, (index) => provider.token({ jti: `${index}` }));
  let flooding = true;
  let sent = 0;
  const refused = new Set<number>();
  const flood = Array.from({ length: 100 }, async () => {
    // On a slow machine the good tokens may be through before the flood reaches its limit.
    while ((flooding || !refused.has(429)) && sent < 20_000) {
      sent += 1;
      refused.add((await withToken(service.url + me, String(bad[sent % bad.length]))).status);
    }
  });
  const statuses: number[] = [];
  for (let round = 0; round < 3; round += 1) {
    const tokens = good.splice(0, 50);
    const replies = await Promise.all(tokens.map((token) => withToken(service.url + me, token)));
    statuses.push(...replies.map(({ status }) => status));
  }
  flooding = false;
  await Promise.all(flood);
  assert.deepEqual(statuses, Array(150).fill(200));
  assert.ok(refused.has(429), 'the flood has never reached the limit');
  assert.ok(!refused.has(200));
});

it('[G175] health checks and all requests are answered during a flood of requests', async () => {
  const { service, provider } = running();
  const token = await provider.token();
  let isOver = false;
  const flood = concurrently(300, 100, () => withToken(service.url + me, token)).finally(() => {
    isOver = true;
  });
  do {
    for (const path of ['/livez', '/readyz'])
      assert.equal((await request(service.opsUrl + path)).status, 200, path);
  } while (!isOver);
  assert.deepEqual(tally((await flood).map(({ status }) => status)), new Map([[200, 300]]));
});
