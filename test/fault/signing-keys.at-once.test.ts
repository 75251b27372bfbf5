import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { assertRefused } from '../support/http/refusals.ts';
import { until } from '../support/run/polling.ts';
import { Deployment } from '../support/services/deployment.ts';
import { databaseEngines, newSettings, startService } from '../support/services/service.ts';
import { type ListedKey, listedKeys, signingKids, untilPublished } from '../support/services/signing-keys.ts';
import { ownSigningKey } from '../support/tokens/own-signing-key.ts';
import { TestProvider } from '../support/tokens/provider.ts';
import type { Credentials } from '../support/tokens/token-endpoint.ts';
import { livingForAYear } from './resigned-token.ts';
import { TokenLoad } from './token-load.ts';

for (const engine of databaseEngines) {
  describe(`a new key that signs at once, on ${engine}`, () => {
    let two: Deployment;
    let client: Credentials;
    before(async () => {
      two = await Deployment.start({ engine, processes: 2, settings: { REFUSALS_PER_MINUTE: '1000000' } });
      // Started later, it polls for changes at other moments than the first process.
      await two.restart(1);
      client = await two.addClient('caller');
    });
    after(() => two.stop());

    /** Rotates so many times. All tokens issued meanwhile are accepted everywhere, and each new key signs. */
    const rotateAtOnce = async (times: number) => {
      const load = new TokenLoad(two, [client]);
      try {
        for (let time = 0; time < times; time += 1) {
          const { kid } = await two.jsonOf<ListedKey>('keys', 'rotate', '--now');
          await until(
            () => signingKids(two, client),
            (kids) => kids.length === 1 && kids[0] === kid,
            'not everybody signs with the new key',
          );
          await load.goRound();
        }
      } finally {
        await load.stop();
      }
      assert.deepEqual(load.refused, []);
    };

    it('its tokens are accepted by processes that have not read it yet', async () => {
      await rotateAtOnce(2);
      assert.equal(
        (await untilPublished(two, 3)).length,
        3,
        'the others stay until their tokens have expired',
      );
    });

    it('its tokens are accepted during a flood of invented kids', async () => {
      const key = await ownSigningKey(two.settings);
      const [token = ''] = await two.tokens(client);
      const invented = await livingForAYear(token, { ...key, kid: 'invented' });
      let isOver = false;
      const flood = async () => {
        while (!isOver) {
          for (const reply of await two.meAtEach(invented)) assertRefused(reply, 'key_unknown', invented);
        }
      };
      const rotating = rotateAtOnce(3).finally(() => {
        isOver = true;
      });
      await Promise.all([rotating, flood()]);
    });

    it('tokens accepted before are refused as soon as their key has retired', async () => {
      const key = await ownSigningKey(two.settings);
      const [token = ''] = await two.tokens(client);
      const [remembered, unseen] = [await livingForAYear(token, key), await livingForAYear(token, key)];
      await two.letIn([remembered]);
      const listed = (await listedKeys(two)).find(({ kid }) => kid === key.kid);
      await two.moveTo(Date.parse(String(listed?.retires_at)));
      for (const stolen of [unseen, remembered])
        for (const reply of await two.meAtEach(stolen)) assertRefused(reply, 'key_unknown', stolen);
    });
  });
}

describe('a new key that signs at once, created while the clock is behind the previous key', () => {
  let one: Deployment;
  before(async () => {
    const provider = await TestProvider.start();
    const settings = await newSettings('sqlite', provider.settings);
    // Commands run by the real time: an hour behind this process, which makes the first key.
    const service = await startService(settings, { aheadMs: 3_600_000 });
    one = new Deployment(provider, settings, [service]);
  });
  after(() => one.stop());

  it('signs from then on, its tokens are accepted, and another can follow it', async () => {
    const client = await one.addClient('caller');
    for (let time = 0; time < 2; time += 1) {
      const { kid } = await one.jsonOf<ListedKey>('keys', 'rotate', '--now');
      const kids = () => signingKids(one, client);
      await until(kids, (kids) => kids.length === 1 && kids[0] === kid, 'the new key does not sign');
      await one.letIn(await one.tokens(client));
    }
  });
});
