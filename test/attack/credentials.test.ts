import assert from 'node:assert/strict';
import { it } from 'node:test';
import { type ErrorCode, Refusal } from '../../src/base/errors.ts';
import { readTokenRequest } from '../../src/tokens/token-request.ts';
import { inputWith } from '../support/http/input.ts';

const formType = 'application/x-www-form-urlencoded';
const read = (body: string | Buffer, contentType = 'application/json', authorization?: string) =>
  readTokenRequest(inputWith({ contentType, body: Buffer.from(body), authorization }));
const isCode = (code: ErrorCode) => (error: unknown) => error instanceof Refusal && error.code === code;
const isMissing = isCode('credentials_missing');

it('two strings in a JSON object are credentials, whatever characters they contain', () => {
  const body = '{"client_id":"a","client_secret":"\u00e9\ufffd","more":[]}';
  assert.deepEqual(read(body).proof, { kind: 'secret', clientId: 'a', secret: '\u00e9\ufffd' });
});

it('[C90] a JSON body that is not UTF-8 is no credentials, so different secrets never become equal', () => {
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

it('[C90] a form that is not UTF-8 is no credentials, percent-encoded or not', () => {
  const form = (end: Buffer | string) =>
    Buffer.concat([
      Buffer.from('grant_type=client_credentials&client_id=a&client_secret=b'),
      Buffer.from(end),
    ]);
  const { proof } = read(form('%C3%A9+%ef%bf%bd'), formType);
  assert.deepEqual(proof, { kind: 'secret', clientId: 'a', secret: 'b\u00e9 \ufffd' });
  for (const end of [Buffer.from([0xff]), Buffer.from([0xe9]), '%ff', '%E9', '%C0%80', '%', '%4', '%zz'])
    assert.throws(() => read(form(end), formType), isCode('oauth_request_invalid'), String(end));
});

it('[C95] both parts of HTTP Basic are form-decoded (RFC 6749) and must be UTF-8', () => {
  const basic = (text: string | Buffer) => `Basic ${Buffer.from(text).toString('base64')}`;
  const { proof } = read('grant_type=client_credentials', formType, basic('a%2Db:c+d%3a%C3%A9:%25'));
  assert.deepEqual(proof, { kind: 'secret', clientId: 'a-b', secret: 'c d:\u00e9:%' });
  for (const odd of [Buffer.from([0x61, 0x3a, 0xff]), 'a:%ff', 'a:%', '%zz:b'])
    assert.throws(
      () => read('grant_type=client_credentials', formType, basic(odd)),
      isCode('oauth_request_invalid'),
    );
});
