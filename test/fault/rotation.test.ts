import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { assertEmptyObject } from '../support/http/answers.ts';
import { assertRefused } from '../support/http/refusals.ts';
import { until } from '../support/run/polling.ts';
import { Deployment } from '../support/services/deployment.ts';
import {
  type ListedKey,
  listedKeys,
  publishedKids,
  signingKids,
  untilPublished,
} from '../support/services/signing-keys.ts';
import { ownSigningKey } from '../support/tokens/own-signing-key.ts';
import type { Credentials } from '../support/tokens/token-endpoint.ts';
import { livingForAYear, TokenLoad } from './token-load.ts';

const settings = { TOKEN_TTL_SECONDS: '30' };
/** Between the first signature of the new key (900 s) and the retirement of the old one (990 s). */
const retireAfterSeconds = 955;
const lookAgainMs = 3_600_000;

interface ListedClient {
  readonly secrets: readonly { readonly secret_id: string; readonly expires_at: string | null }[];
}

for (const [engine, count] of [
  ['sqlite', 1],
  ['postgres', 2],
] as const) {
  describe(`a rotation under load: ${engine}, processes: ${count}`, () => {
    let processes: Deployment;
    let load: TokenLoad;
    let oldSecret: Credentials;
    let newSecret: Credentials;
    let oldKid: string;
    let newKey: ListedKey;
    let secretEndsAt: number;
    let keyRetiresAt: number;
    /** Forged with the old key: one is sent while the key is published, one afterwards. */
    let stolen: readonly [string, string];
    before(async () => {
      processes = await Deployment.start({ engine, processes: count, settings });
      oldSecret = await processes.addClient('caller');
      const key = await ownSigningKey(processes.settings);
      const [token = ''] = await processes.tokens(oldSecret);
      stolen = [await livingForAYear(token, key), await livingForAYear(token, key)];
      oldKid = key.kid;
      load = new TokenLoad(processes, [oldSecret]);
      await load.goRound();
    });
    after(async () => {
      await load?.stop();
      await processes.stop();
    });

    /** All requests of the load so far have succeeded. */
    const nobodyWasRefused = () => {
      assert.deepEqual(load.refused, []);
      const goesOn = load.rounds.every((rounds) => rounds >= 2);
      assert.ok(goesOn, `control: the load goes on (${load.rounds})`);
    };
    const everywhere = <T>(value: T): T[] => Array.from({ length: count }, () => value);

    it('[C108] after adding a second secret and key, both secrets work and the old key still signs', async () => {
      const made = await processes.jsonOf<{ client_secret: string }>(
        ...['client', 'rotate', 'caller', '--retire-after', `${retireAfterSeconds}s`],
      );
      newSecret = { id: 'caller', secret: made.client_secret };
      load.credentials = [oldSecret, newSecret];
      newKey = await processes.jsonOf<ListedKey>('keys', 'rotate');
      assert.deepEqual(await untilPublished(processes, 2), [oldKid, newKey.kid]);
      assert.deepEqual(await signingKids(processes, oldSecret), [oldKid]);
      assert.deepEqual(await signingKids(processes, newSecret), [oldKid]);
      await load.goRound();
      nobodyWasRefused();

      const [client] = await processes.jsonOf<ListedClient[]>('client', 'list');
      const ends = client?.secrets.map(({ expires_at: end }) => end) ?? [];
      secretEndsAt = Date.parse(String(ends[0]));
      assert.deepEqual([ends.length, ends[1]], [2, null], 'the new secret does not end');
      const [listed] = await listedKeys(processes);
      assert.equal(listed?.kid, oldKid);
      keyRetiresAt = Date.parse(String(listed?.retires_at));
    });

    it('the new key signs everywhere at its time; the old one stays published', async () => {
      await load.skipTo(Date.parse(newKey.signs_from) - 45_000);
      await load.advanceTo(Date.parse(newKey.signs_from));
      assert.deepEqual(await signingKids(processes, newSecret), [newKey.kid]);
      assert.deepEqual(await publishedKids(processes), everywhere([oldKid, newKey.kid]));
      await processes.letIn([stolen[0]]);
      nobodyWasRefused();
    });

    it('[C108] the old secret is 401 everywhere after its expiry; the new one works', async () => {
      await load.advanceTo(secretEndsAt - 8_000);
      const lastTokens = await processes.tokens(oldSecret);
      load.credentials = [newSecret];
      await load.goRound();
      await load.advanceTo(secretEndsAt);
      for (const reply of await processes.postTokens(oldSecret)) assertEmptyObject(reply, 401, 'the old one');
      assert.equal((await processes.tokens(newSecret)).length, count);
      // Tokens that were issued for the old secret stay valid until their expiry.
      await processes.letIn(lastTokens);
      nobodyWasRefused();
    });

    it('the old key is unpublished everywhere after its last token expired, and verifies nothing', async () => {
      await load.advanceTo(keyRetiresAt);
      assert.deepEqual(await publishedKids(processes), everywhere([newKey.kid]));
      for (const reply of await processes.meAtEach(stolen[1])) assertRefused(reply, 'key_unknown', stolen[1]);
      await load.goRound();
      nobodyWasRefused();
    });

    it('the old key is deleted from the database; tokens accepted with it are refused', async () => {
      await load.stop();
      await processes.advance(lookAgainMs);
      const kids = async () => (await listedKeys(processes)).map(({ kid }) => kid);
      await until(kids, (kids) => kids.length === 1 && kids[0] === newKey.kid, 'the old key is still listed');
      for (const token of stolen) {
        const replies = await processes.become(403, token);
        for (const reply of replies) assertRefused(reply, 'key_unknown', token);
      }
      assert.deepEqual(await signingKids(processes, newSecret), [newKey.kid]);
    });
  });
}
