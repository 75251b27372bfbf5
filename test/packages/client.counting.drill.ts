import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { createClient } from '../../packages/client/src/index.ts';
import { atOnce } from '../support/services/deployment.ts';
import { startClientBrowser } from './client-browser.ts';

const name = 'somebody who counts';

const browser = await startClientBrowser();
const { stage } = browser;
after(() => browser.stop());

describe('many clients that write at once', () => {
  it('100 simultaneous updates by a function leave the counter at 100', async () => {
    const token = await stage.token(name);
    const countersOf = () => createClient({ url: stage.url, token: () => token }).collection('counters');
    const { id } = await countersOf().create({ count: 0 });
    const counted = await atOnce(100, () =>
      countersOf().update(id, ({ count }) => ({ count: count + 1 }), { deadlineSeconds: 120 }),
    );
    assert.equal((await countersOf().get(id)).count, 100);
    assert.equal(new Set(counted.map(({ count }) => count)).size, 100);
  });

  it('200 cut connections lose no record and duplicate none', async () => {
    const token = await stage.token('somebody who is cut off');
    const notes = createClient({ url: stage.url, token: () => token, deadlineSeconds: 120 }).collection(
      'notes',
    );
    const kinds = ['before', 'after', 'within'] as const;
    const before = stage.proxy.cuts;
    const made: string[] = [];
    let number = 0;
    while (stage.proxy.cuts - before < 200) {
      const texts = Array.from({ length: 10 }, () => `note ${++number}`);
      for (const [index] of texts.entries())
        await stage.arrange({ on: 'POST /api/consumer/v1/notes', what: kinds[index % 3] ?? 'after' });
      const records = await Promise.all(texts.map((text) => notes.create({ text })));
      made.push(...records.map(({ id, text }) => `${id} ${text}`));
    }
    await stage.calm();
    const kept: string[] = [];
    for await (const { id, text } of notes.list({ limit: 200 })) kept.push(`${id} ${text}`);
    const cuts = stage.proxy.cuts - before;
    console.log(`${cuts} cuts, ${made.length} creates, ${kept.length} records`);
    assert.ok(cuts >= 200);
    assert.deepEqual(kept.toSorted(), made.toSorted());
  });

  it('100 simultaneous updates from 10 tabs leave the counter at 100', async () => {
    const tabs = await atOnce(10, () => browser.tab());
    const token = await stage.token(name);
    const { id } = await createClient({ url: stage.url, token: () => token })
      .collection('counters')
      .create({ count: 0 });
    const turns = `(async () => {
      const token = await stage.token(${JSON.stringify(name)});
      const counters = client.createClient({ url: serviceUrl, token: () => token }).collection('counters');
      const up = ({ count }) => ({ count: count + 1 });
      await Promise.all(Array.from({ length: 10 }, () => counters.update('${id}', up, { deadlineSeconds: 120 })));
      return (await counters.get('${id}')).count;
    })()`;
    const seen = await Promise.all(tabs.map((tab) => tab.evaluate(turns)));
    assert.equal(Math.max(...(seen as number[])), 100);
    for (const tab of tabs) await tab.close();
  });
});
