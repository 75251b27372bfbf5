import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { afterEach, beforeEach, it } from 'node:test';
import {
  createVerifier,
  type KeySetStore,
  keySetFile,
  type LogEntry,
  type Verifier,
  type VerifierOptions,
} from '../../packages/verify/src/index.ts';
import { until } from '../support/run/polling.ts';
import { surroundings } from '../support/run/surroundings.ts';
import { MovableClock } from '../support/services/movable-clock.ts';
import { makeKey, TestProvider } from '../support/tokens/provider.ts';

const day = 86_400_000;
let provider: TestProvider;
let clock: MovableClock;
const open: Verifier[] = [];
const entries: LogEntry[] = [];

beforeEach(async () => {
  provider = await TestProvider.start();
  clock = new MovableClock();
});
afterEach(async () => {
  for (const verifier of open.splice(0)) verifier.close();
  entries.length = 0;
  await provider.stop();
});

function start(options: Partial<VerifierOptions> = {}): Verifier {
  const { origin: issuer } = provider;
  const { audience } = surroundings();
  const log = (entry: LogEntry) => entries.push(entry);
  const verifier = createVerifier({ issuer, audience, jwksUrl: `${issuer}/jwks`, clock, log, ...options });
  open.push(verifier);
  return verifier;
}

const requestWith = (token: string) => ({ headers: { authorization: `Bearer ${token}` } });
async function answer(verifier: Verifier, token: string): Promise<string> {
  const verdict = await verifier.verify(requestWith(token));
  return verdict.ok ? '200' : `${verdict.status} ${verdict.code}`;
}
const answers = (verifier: Verifier, token: string, expected: string) =>
  until(() => answer(verifier, token), expected, `the answer does not become ${expected}`);
const longLived = () => provider.token({ exp: Math.floor(Date.now() / 1000) + 10 * 86_400 });
const newFile = () => `${surroundings().runDirectory}/verify-${randomUUID()}/keys.json`;

it('[B60] without keys the verdict is 503 with Retry-After, until the provider is back', async () => {
  await provider.stop();
  const verifier = start();
  await assert.rejects(verifier.ready(), /The keys of .* are not available yet .*unreachable/);
  const verdict = await verifier.verify(requestWith(await provider.token()));
  assert.ok(!verdict.ok);
  assert.deepEqual([verdict.status, verdict.code], [503, 'keys_unavailable']);
  assert.match(String(verdict.headers['retry-after']), /^[1-9]\d*$/);
  await provider.comeBack();
  clock.advance(5_000);
  const token = await provider.token();
  await answers(verifier, token, '200');
});

it('[B80] 1,000 requests before the first keys cost one fetch, and all are served', async () => {
  const verifier = start();
  const token = await provider.token();
  const answers = await Promise.all(Array.from({ length: 1_000 }, () => answer(verifier, token)));
  assert.deepEqual(new Set(answers), new Set(['200']));
  assert.equal(provider.fetches, 1);
});

it('[B62] [B63] stale keys are used for one day and no longer', async () => {
  const verifier = start();
  await verifier.ready();
  await provider.stop();
  const [seen, other] = [await longLived(), await longLived()];
  assert.equal(await answer(verifier, seen), '200');
  clock.advance(day - 60_000);
  assert.equal(await answer(verifier, seen), '200');
  assert.equal(await answer(verifier, other), '200');
  clock.advance(61_000);
  assert.equal(await answer(verifier, seen), '503 keys_unavailable');
});

it('after a restart during an outage the keys from the file are used', async () => {
  const file = newFile();
  await start({ memory: keySetFile(file) }).ready();
  await until(() => existsSync(file), true, 'nothing is kept');
  assert.equal(statSync(file).mode & 0o777, 0o600);
  await provider.stop();
  const again = start({ memory: keySetFile(file) });
  assert.equal(await answer(again, await provider.token()), '200', 'the very first request, too');
  await again.ready();
});

it('a key file that is writable by others, damaged or changed is ignored', async () => {
  const file = newFile();
  const secret = 'x'.repeat(32);
  const planted = await makeKey();
  const spoil: Record<string, () => void> = {
    'writable by others': () => chmodSync(file, 0o666),
    'cut short': () => writeFileSync(file, readFileSync(file, 'utf8').slice(0, -20)),
    empty: () => writeFileSync(file, ''),
    'with another key': () =>
      writeFileSync(
        file,
        readFileSync(file, 'utf8').replace(String(provider.key.jwk.n), String(planted.jwk.n)),
      ),
  };
  for (const [name, change] of Object.entries(spoil)) {
    const first = start({ memory: keySetFile(file), memorySecret: secret });
    await first.ready();
    const isKept = () => entries.length > 0 && existsSync(file) && statSync(file).size > 100;
    await until(isKept, true, 'nothing is kept');
    first.close();
    change();
    await provider.stop();
    const again = start({ memory: keySetFile(file), memorySecret: secret });
    assert.equal(await answer(again, await provider.token()), '503 keys_unavailable', name);
    again.close();
    chmodSync(file, 0o600);
    await provider.comeBack();
  }
});

it('a custom store is used; keys with another secret or none are ignored', async () => {
  let kept: string | null = null;
  const memory: KeySetStore = {
    read: async () => kept,
    write: async (text) => {
      kept = text;
    },
  };
  await start({ memory, memorySecret: 'a'.repeat(32) }).ready();
  await until(() => kept, Boolean, 'nothing is kept');
  await provider.stop();
  assert.equal(await answer(start({ memory, memorySecret: 'a'.repeat(32) }), await provider.token()), '200');
  for (const other of [{ memorySecret: 'b'.repeat(32) }, {}])
    assert.equal(await answer(start({ memory, ...other }), await provider.token()), '503 keys_unavailable');
});

it('a hanging store, or a pipe instead of its file, does not block requests', async () => {
  const file = newFile();
  mkdirSync(dirname(file), { recursive: true });
  execFileSync('mkfifo', [file]);
  const hanging: KeySetStore = { read: () => new Promise(() => {}), write: async () => {} };
  for (const memory of [hanging, keySetFile(file)]) {
    const answered = answer(start({ memory }), await provider.token());
    clock.advance(2_000);
    assert.equal(await answered, '200');
  }
});

it('[B78] a flood of unknown key ids costs one fetch, and [B81] a new key is found', async () => {
  const verifier = start();
  await verifier.ready();
  const stranger = await makeKey();
  for (let count = 0; count < 300; count += 1) {
    const token = await provider.token({}, { kid: `invented-${count}` }, stranger);
    assert.equal(await answer(verifier, token), '403 key_unknown');
  }
  assert.equal(provider.fetches, 2);
  provider.keys.push(await makeKey());
  const rotated = () => provider.token({}, {}, provider.keys[1]);
  assert.equal(await answer(verifier, await rotated()), '403 key_unknown', 'within the cool-down');
  clock.advance(31_000);
  const token = await rotated();
  await answers(verifier, token, '200');
  assert.equal(provider.fetches, 3);
});

it('[B82] [A49] a removed key is refused after the next refresh, also for cached tokens', async () => {
  const verifier = start();
  await verifier.ready();
  const token = await longLived();
  assert.equal(await answer(verifier, token), '200');
  provider.keys = [await makeKey()];
  clock.advance(600_000);
  await answers(verifier, token, '403 key_unknown');
});

it('[A49] a cached token is refused once it has expired', async () => {
  const verifier = start();
  await verifier.ready();
  const token = await provider.token();
  assert.equal(await answer(verifier, token), '200');
  assert.deepEqual(verifier.status().tokens, { remembered: 1, hits: 0, misses: 1 });
  clock.stepWallClock(3_600_000);
  assert.equal(await answer(verifier, token), '403 token_expired');
});

it('after close() requests get 503 and the token cache is empty', async () => {
  const verifier = start();
  await verifier.ready();
  const token = await provider.token();
  assert.equal(await answer(verifier, token), '200');
  verifier.close();
  assert.equal(await answer(verifier, token), '503 shutting_down');
  assert.equal(verifier.status().tokens.remembered, 0);
  await assert.rejects(verifier.ready());
});

it('the log contains no part of a token', async () => {
  const verifier = start();
  const token = await provider.token();
  for (const text of [token, `${token}x`, `x${token}`]) await answer(verifier, text);
  assert.ok(entries.some(({ message }) => message === 'provider keys fetched'));
  for (const part of token.split('.')) assert.ok(!JSON.stringify(entries).includes(part));
});
