import assert from 'node:assert/strict';
import { it } from 'node:test';
import { withToken } from '../support/http/request.ts';
import { deployment } from '../support/services/deployment.ts';
import { me } from '../support/services/service.ts';

const running = deployment({ settings: { REFUSALS_PER_MINUTE: '5' } });

it('[C100] refusals past the limit are 429; a valid token is still accepted', async () => {
  const { service, provider } = running();
  const statuses = async (token: string, count: number) => {
    const all: number[] = [];
    for (let sent = 0; sent < count; sent += 1) all.push((await withToken(service.url + me, token)).status);
    return all;
  };
  assert.deepEqual(await statuses(await provider.token(), 10), Array(10).fill(200));
  assert.deepEqual(await statuses('garbage', 8), [403, 403, 403, 403, 403, 429, 429, 429]);
  const last = await withToken(service.url + me, 'garbage');
  assert.match(last.headers.get('retry-after') ?? '', /^([1-9]|[1-5]\d|60)$/);
  assert.equal(last.json().code, 'too_many_refusals');
  assert.deepEqual(await statuses(await provider.token(), 3), [200, 200, 200]);
});

it('[C100] a known token is still accepted past the limit', async () => {
  const { service, provider } = running();
  const token = await provider.token();
  for (let sent = 0; sent < 3; sent += 1)
    assert.equal((await withToken(service.url + me, token)).status, 200);
});
