import assert from 'node:assert/strict';
import { it } from 'node:test';
import { deriveKeyring } from '../../src/auth/keyring.ts';
import { createPseudonym } from '../../src/consumer/pseudonym.ts';

const { pseudonym: key } = deriveKeyring('a master secret of the tests, and long enough');
const pseudonymOf = createPseudonym(key);
const named = (issuer: string, subject: string) => pseudonymOf({ issuer, subject });

it('a caller always has the same pseudonym', () => {
  assert.equal(named('https://a.example', 'someone'), named('https://a.example', 'someone'));
  assert.match(String(named('https://a.example', 'someone')), /^usr_[A-Za-z0-9_-]{43}$/);
});

it('a caller without a subject has no pseudonym', () => {
  assert.equal(pseudonymOf({ issuer: 'https://a.example', subject: null }), null);
});

it('characters moved between issuer and subject give another pseudonym', () => {
  // Both spellings of an origin are issuers of one provider, so a subject could make up for the slash.
  assert.notEqual(named('https://a.example', '/someone'), named('https://a.example/', 'someone'));
  assert.notEqual(named('https://a.exampl', 'esomeone'), named('https://a.example', 'someone'));
});

it('the same subject of another issuer has another pseudonym', () => {
  assert.notEqual(named('https://a.example', 'someone'), named('https://b.example', 'someone'));
});

it('another master secret gives another pseudonym', () => {
  const others = createPseudonym(deriveKeyring('another master secret, just as long as it is').pseudonym);
  const someone = { issuer: 'https://a.example', subject: 'someone' };
  assert.notEqual(others(someone), pseudonymOf(someone));
});

it('every purpose has its own key, and another master secret gives other keys', () => {
  const hex = (secret: string) =>
    Object.values(deriveKeyring(secret)).map((bytes: Uint8Array) => Buffer.from(bytes).toString('hex'));
  const all = [...hex('one master secret'), ...hex('another master secret')];
  assert.equal(new Set(all).size, all.length);
});
