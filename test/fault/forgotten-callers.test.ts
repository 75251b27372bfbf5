import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, it } from 'node:test';
import { request } from '../support/http/request.ts';
import { deployment } from '../support/services/deployment.ts';
import { clockedProcess, me } from '../support/services/service.ts';

interface Planted {
  readonly subject: string;
  readonly token: string;
}

/** Longer than the lifetime of any token here and the interval of the sweep. */
const pastExpiryMs = 600_000 + 120_000;

describe('the heap of a running service', () => {
  const pair = deployment({ settings: clockedProcess, hasKeys: true });

  /** Callers whose tokens are sent several times, so that they are cached and used from the cache. */
  async function plant(count: number, scope: string, sent = 3): Promise<Planted[]> {
    const planted: Planted[] = [];
    for (let index = 0; index < count; index += 1) {
      const subject = `planted-${randomUUID()}`;
      const token = await pair().provider.token({ sub: subject, scope });
      for (let times = 0; times < sent; times += 1) assert.equal(await ask('GET', token), 200);
      planted.push({ subject, token });
    }
    return planted;
  }
  /** Closes the connection after the response: an idle one may hold its last request in memory. */
  const ask = async (method: string, token: string) => {
    const headers = { authorization: `Bearer ${token}`, connection: 'close' };
    return (await request(`${pair().service.url}${me}`, { method, headers })).status;
  };
  /**
   * The callers whose subject or token is in these texts. A token is found by its beginning, past the part that all tokens
   * of a provider share.
   */
  const heldIn = (texts: string, planted: readonly Planted[]) => ({
    subjects: planted.filter(({ subject }) => texts.includes(subject)).length,
    tokens: planted.filter(({ token }) => texts.includes(token.slice(100, 400))).length,
  });

  it('holds no subject or token after expiry or erasure, even without further requests', async () => {
    const staying = await plant(50, 'read');
    const leaving = await plant(50, 'read');
    for (const { token } of leaving) assert.equal(await ask('DELETE', token), 200);
    const early = await pair().service.heapTexts();
    assert.deepEqual(
      heldIn(early, leaving),
      { subjects: 0, tokens: 0 },
      'whoever was erased is gone at once',
    );
    assert.deepEqual(
      heldIn(early, staying),
      { subjects: 50, tokens: 0 },
      'as long as a token lives whom it speaks for is remembered, and the token is not',
    );
    // One caller that comes only once, as the very last; and one that is refused.
    const refused = { subject: `planted-${randomUUID()}` };
    const token = await pair().provider.token({ sub: refused.subject, scope: 'read', aud: 'another' });
    assert.equal(await ask('GET', token), 403);
    const [last] = await plant(1, 'read', 1);
    await pair().service.advance(pastExpiryMs);
    const planted = [...staying, { ...refused, token }, last as Planted];
    assert.deepEqual(heldIn(await pair().service.heapTexts(), planted), { subjects: 0, tokens: 0 });
  });
});
