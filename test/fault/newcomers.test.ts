import assert from 'node:assert/strict';
import { it } from 'node:test';
import { ApiCaller } from '../support/http/api-caller.ts';
import { head, statuses } from '../support/http/raw-http.ts';
import { concurrently, sendAtOnce, tally } from '../support/load/flood.ts';
import { sized } from '../support/run/size.ts';
import { declarationsFolder } from '../support/services/declarations.ts';
import { databaseEngines, me, newSettings, startService } from '../support/services/service.ts';
import { TestProvider } from '../support/tokens/provider.ts';

const notes = 'schema: { properties: { text: { type: string, maxLength: 50 } } }';
const count = sized(300, 1_000);

for (const engine of databaseEngines) {
  it(`${count} new callers that request /me and write at the same instant are all served, on ${engine}`, async (t) => {
    const provider = await TestProvider.start();
    t.after(() => provider.stop());
    const COLLECTIONS_DIR = declarationsFolder({ notes });
    const settings = await newSettings(engine, { ...provider.settings, COLLECTIONS_DIR });
    const service = await startService(settings);
    t.after(() => service.stop());
    let people = 0;
    const tokens = await concurrently(count, 16, () => {
      people += 1;
      return provider.token({ sub: `newcomer ${people}` });
    });
    const body = '{"text":"hello"}';
    const requests = tokens.flatMap((token) => {
      const bearer = `authorization: Bearer ${token}`;
      const about = ['content-type: application/json', `content-length: ${body.length}`];
      return [head('GET', me, bearer), `${head('POST', '/api/consumer/v1/notes', bearer, ...about)}${body}`];
    });
    const statusOf = (answer: string) => statuses(answer)[0];
    const answers = await sendAtOnce(service.url, requests);
    // A busy machine may ask a few to try again.
    const refused = requests.filter((_, index) => statusOf(answers[index] ?? '') === 503);
    assert.ok(refused.length <= count / 10, `${refused.length} of ${count} were refused`);
    const repeated = await sendAtOnce(service.url, refused);
    const done = [...answers.filter((answer) => statusOf(answer) !== 503), ...repeated];
    const seen = tally(done.map((answer) => statusOf(answer) ?? answer));
    assert.deepEqual(Object.fromEntries(seen), { 200: count, 201: count });
    const last = new ApiCaller(service.url, String(tokens.at(-1)));
    assert.equal((await last.usage('notes')).records.used, 1);
  });
}
