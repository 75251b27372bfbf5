import assert from 'node:assert/strict';
import { it } from 'node:test';
import { Refusal } from '../../src/base/errors.ts';
import { readCredentials } from '../../src/tokens/credentials.ts';

const read = (body: string | Buffer, contentType = 'application/json') =>
  readCredentials({ contentType, body: Buffer.from(body), authorization: undefined, address: '' });
const isMissing = (error: unknown) => error instanceof Refusal && error.code === 'credentials_missing';

it('two texts in a JSON object are credentials, whatever letters they are made of', () => {
  const body = '{"client_id":"a","client_secret":"\u00e9\ufffd","more":[]}';
  assert.deepEqual(read(body), { clientId: 'a', clientSecret: '\u00e9\ufffd' });
});

it('[C90] bytes that are no UTF-8 are no credentials, so that different secrets never become one', () => {
  for (const [byte, place] of [
    [0xff, 'client_secret":"'],
    [0xe9, 'client_secret":"'],
    [0xff, 'more":"'],
    [0xc0, 'more":"'],
  ] as const) {
    const [before = '', after = ''] = '{"client_id":"a","client_secret":"b","more":"c"}'.split(place);
    const body = Buffer.concat([Buffer.from(before + place), Buffer.from([byte]), Buffer.from(after)]);
    assert.throws(() => read(body), isMissing, `${byte} in ${place}`);
  }
  assert.throws(() => read('\ufeff{"client_id":"a","client_secret":"b"}'), isMissing);
});
