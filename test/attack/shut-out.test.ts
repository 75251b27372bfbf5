import assert from 'node:assert/strict';
import { it } from 'node:test';
import { createAuthenticate, createCheckStanding } from '../../src/auth/authenticate.ts';
import { type Caller, keyCredential, type VerifiedToken } from '../../src/base/caller.ts';
import { ConfirmedTime } from '../../src/base/clock.ts';
import { Refusal } from '../../src/base/errors.ts';
import { createKeyedDigest } from '../../src/base/keyed-digest.ts';
import { createLog } from '../../src/base/log.ts';
import { createRevocationNames } from '../../src/consumer/pseudonym.ts';
import { Standing } from '../../src/consumer/standing.ts';
import {
  type ClientWithSecrets,
  type StoredRevocation,
  type WatchedTable,
  watchedTables,
} from '../../src/storage/port.ts';
import { ClientDirectory } from '../../src/tokens/client-directory.ts';
import { anyKeys } from '../support/databases/databases.ts';
import { newClient, newSecret, sealed } from '../support/databases/records.ts';
import { MovableClock } from '../support/services/movable-clock.ts';
import { verifiedToken as token } from '../support/tokens/verified-caller.ts';

const ownIssuer = 'https://api.example';
const client = (
  subject: string,
  credentialId: string | null = 's1',
  issuedAtSeconds: number | null = 1_000,
) =>
  token(
    { id: `usr_${subject}`, kind: 'client', issuer: ownIssuer, subject, credentialId },
    { issuedAtSeconds },
  );

const names = createRevocationNames(createKeyedDigest(new Uint8Array(32)));

/** The operator's decisions in memory, and counts of the queries for them. */
async function standing(
  clients: Record<string, 'active' | 'disabled'> = {},
  changes: { readonly revoked?: StoredRevocation[]; readonly addedAt?: number; hasKeys?: boolean } = {},
) {
  const state = {
    suspended: [] as string[],
    revoked: [] as StoredRevocation[],
    clients,
    announce: (_changed: ReadonlySet<WatchedTable>) => {},
    /** The listener of changes fails. */
    isMissed: false,
    changes: 0,
    lookups: 0,
    /** Happens while the suspended callers are read. */
    duringRead: () => {},
    /** Happens while a client is looked up. */
    duringLookUp: async () => {},
    notesAsked: 0,
    suspendedAsked: 0,
    clientsAsked: 0,
    failing: false,
    addedAt: 0,
    hasKeys: false,
    secretIds: ['s1'],
    ...changes,
  };
  const known = (id: string): ClientWithSecrets | null => {
    const found = clients[id];
    if (found === undefined) return null;
    const { addedAt: createdAt, hasKeys, secretIds } = state;
    const client = newClient({ id, state: found, createdAt, publicKeys: hasKeys ? '{"keys":[]}' : null });
    return sealed(
      client,
      secretIds.map((secretId) => newSecret({ id: secretId })),
    );
  };
  const clock = new MovableClock();
  const log = createLog('silent');
  const part = new Standing({
    store: {
      async suspendedConsumers() {
        state.suspendedAsked += 1;
        const found = [...state.suspended];
        state.duringRead();
        return found;
      },
      async revocations(after) {
        state.notesAsked += 1;
        return state.revoked.filter(({ seq }) => seq > after);
      },
      async watch(onChange) {
        state.announce = onChange;
        return async () => {};
      },
    },
    names,
    clients: new ClientDirectory({
      store: {
        async list() {
          state.clientsAsked += 1;
          if (state.failing) throw new Error('the database does not answer');
          return Object.keys(clients).flatMap((id) => known(id) ?? []);
        },
        async find(id) {
          state.lookups += 1;
          const found = known(id);
          await state.duringLookUp();
          return found;
        },
      },
      clientMac: anyKeys.clientMac,
      log,
    }),
    ownIssuer,
    async onChange() {
      state.changes += 1;
      if (state.isMissed) throw new Error('the database does not answer');
    },
    clock,
    time: new ConfirmedTime(clock, log),
    log,
  });
  const announce = async (changed: readonly WatchedTable[] = watchedTables) => {
    state.announce(new Set(changed));
    await new Promise<void>((resolve) => setImmediate(resolve));
  };
  await part.start();
  const check = async (one: VerifiedToken) => createCheckStanding(part)(one);
  return { part, state, clock, announce, check };
}
const refusal = (code: string) => (error: unknown) => error instanceof Refusal && error.code === code;

it('a caller who is not suspended is accepted, and so is one without a pseudonym', async () => {
  const { check } = await standing();
  await check(token());
  await check(token({ id: null, subject: null }));
});

it('a suspended caller is refused once that is announced, and accepted after it is reversed', async () => {
  const { state, announce, check } = await standing();
  state.suspended = ['usr_a'];
  await announce();
  await assert.rejects(check(token()), refusal('consumer_suspended'));
  await check(token({ id: 'usr_b' }));
  state.suspended = [];
  await announce();
  await check(token());
  assert.equal(state.changes, 3, 'whoever remembers callers hears of every change');
});

it('a caller suspended during the read of suspended callers is refused', async () => {
  const { state, announce, check } = await standing();
  state.duringRead = () => {
    state.duringRead = () => {};
    state.suspended = ['usr_a'];
    state.announce(new Set(['consumers']));
  };
  await announce(['consumers']);
  await assert.rejects(check(token()), refusal('consumer_suspended'));
});

it('only changed tables are read again, together with those that failed before', async () => {
  const { state, clock, announce } = await standing();
  const asked = () => [state.suspendedAsked, state.notesAsked, state.clientsAsked];
  const since = async (changed: readonly WatchedTable[]) => {
    const before = asked();
    await announce(changed);
    return asked().map((count, index) => count - (before[index] ?? 0));
  };
  assert.deepEqual(await since(['consumers']), [1, 0, 0]);
  assert.deepEqual(await since(['revocations']), [0, 1, 0]);
  assert.deepEqual(await since(['clients']), [0, 0, 1]);
  assert.deepEqual(await since(['signing_keys', 'webhooks']), [0, 0, 0]);
  state.failing = true;
  state.clients.lately = 'active';
  assert.deepEqual(await since(['clients']), [0, 0, 1]);
  state.failing = false;
  const before = state.clientsAsked;
  clock.advance(1_000);
  await new Promise<void>((resolve) => setImmediate(resolve));
  assert.equal(state.clientsAsked, before + 1);
});

it('a listener that missed a change is notified again', async () => {
  const { state, clock, announce } = await standing();
  state.isMissed = true;
  await announce(['signing_keys']);
  state.isMissed = false;
  const before = state.changes;
  clock.advance(1_000);
  await new Promise<void>((resolve) => setImmediate(resolve));
  assert.equal(state.changes, before + 1);
  await announce(['webhooks']);
  assert.equal(state.changes, before + 2, 'and only of that from then on');
});

it('an active client is accepted, and a new one is looked up once', async () => {
  const { state, check } = await standing({ known: 'active' });
  await check(client('known'));
  assert.equal(state.lookups, 0);
  state.clients.fresh = 'active';
  await check(client('fresh'));
  await check(client('fresh'));
  assert.equal(state.lookups, 1);
});

type Change = (state: Awaited<ReturnType<typeof standing>>['state']) => unknown;
const meanwhile: Record<string, readonly [string, WatchedTable, Change]> = {
  'is disabled': [
    'client_disabled',
    'clients',
    ({ clients }) => Object.assign(clients, { fresh: 'disabled' }),
  ],
  'is suspended': ['consumer_suspended', 'consumers', ({ suspended }) => suspended.push('usr_fresh')],
  'is signed out': [
    'token_revoked',
    'revocations',
    ({ revoked }) => revoked.push(noted({ name: names.caller('usr_fresh') })),
  ],
};
for (const [what, [code, table, change]] of Object.entries(meanwhile))
  it(`a new client that ${what} during its lookup is refused`, async () => {
    const { state, announce, check } = await standing();
    state.clients.fresh = 'active';
    state.duringLookUp = async () => {
      state.duringLookUp = async () => {};
      change(state);
      await announce([table]);
    };
    await assert.rejects(check(client('fresh')), refusal(code));
  });

it('a client that is disabled, removed or unknown is refused', async () => {
  const { state, announce, check } = await standing({ known: 'active', other: 'disabled' });
  await check(client('known'));
  await assert.rejects(check(client('other')), refusal('client_disabled'));
  await assert.rejects(check(client('unheard-of')), refusal('client_disabled'));
  state.clients.known = 'disabled';
  await announce();
  await assert.rejects(check(client('known')), refusal('client_disabled'));
});

it('[C108] a token issued for a secret is refused after that secret is removed', async () => {
  const { state, announce, check } = await standing({ machine: 'active' });
  await check(client('machine'));
  state.secretIds = ['s2'];
  await announce();
  await assert.rejects(check(client('machine')), refusal('client_disabled'));
  state.secretIds = ['s2', 's1'];
  await check(client('machine'));
});

it('[C108] a token issued for a key is accepted only while the client has keys', async () => {
  const { state, announce, check } = await standing({ machine: 'active' });
  const byKey = client('machine', keyCredential(0));
  await assert.rejects(check(byKey), refusal('client_disabled'));
  Object.assign(state, { hasKeys: true, secretIds: [] });
  await announce();
  await check(byKey);
  assert.equal(state.lookups, 1, 'whoever is known is not looked up');
  for (const credentialId of ['s1', 'key', keyCredential(1), '', null])
    await assert.rejects(check(client('machine', credentialId)), refusal('client_disabled'));
});

it("a provider's subject that equals the id of a disabled client is accepted", async () => {
  const { check } = await standing({ a: 'disabled' });
  await check(token());
});

for (const [which, cache] of Object.entries({
  'seen before': { recall: () => token(), examine: async () => token({ id: null }) },
  new: { recall: () => undefined, examine: async () => token() },
}))
  it(`a valid token of a shut-out caller is refused: ${which}`, async () => {
    const calm = { address: '', isSuspect: () => false };
    const authenticate = createAuthenticate(cache, ({ caller }) => {
      if (caller.id === 'usr_a') throw new Refusal('consumer_suspended');
    });
    await assert.rejects(async () => authenticate('Bearer x', calm), refusal('consumer_suspended'));
    const open = createAuthenticate(cache, () => {});
    assert.equal((await open('Bearer x', calm)).caller.id, 'usr_a');
  });

for (const [heardOf, before] of [
  ['known before', { machine: 'active' }],
  ['looked up', {}],
] as const)
  it(`a token of an earlier client with the same id is refused, whatever its iat: ${heardOf}`, async () => {
    const clients: Record<string, 'active' | 'disabled'> = { ...before };
    const { check } = await standing(clients, { addedAt: 1_000_500, hasKeys: true });
    clients.machine = 'active';
    for (const issuedAtSeconds of [999, 1000, 1001, null]) {
      const issued = (credentialId: string) => client('machine', credentialId, issuedAtSeconds);
      await check(issued('s1'));
      await check(issued(keyCredential(1_000_500)));
      for (const credentialId of [keyCredential(1_000_499), keyCredential(1_000_501), 's2'])
        await assert.rejects(check(issued(credentialId)), refusal('client_disabled'));
    }
  });

const noted = (changes: Partial<StoredRevocation>): StoredRevocation => ({
  name: names.caller('usr_a'),
  issuedUntil: 1_000_500,
  forgetAt: Date.now() + 60_000,
  issuer: null,
  seq: 1,
  movedFrom: null,
  ...changes,
});

/** The tokens of these names that are revoked, issued up to the moment 1,000,500 ms. */
const takenBack = (...taken: readonly string[]) =>
  standing({}, { revoked: taken.map((name, index) => noted({ name, seq: index + 1 })) });
const issuedAt = (issuedAtSeconds: number | null, changes: Partial<Caller> = {}) =>
  token(changes, { issuedAtSeconds });

it('tokens up to the second of a sign-out are refused, and later ones are accepted', async () => {
  const { check } = await takenBack(names.caller('usr_a'));
  for (const seconds of [0, 999, 1000, 1000.4, 1000.9, null])
    await assert.rejects(check(issuedAt(seconds)), refusal('token_revoked'), String(seconds));
  for (const seconds of [1001, 1001.2, 2000]) await check(issuedAt(seconds));
  await check(issuedAt(999, { id: 'usr_b' }));
  await check(issuedAt(999, { id: null, subject: null }));
});

it('the end of a session refuses its tokens and those without a session, and no others', async () => {
  const [ended, other] = [names.session('https://p', 'one'), names.session('https://p', 'two')];
  assert.notEqual(ended, names.session('https://q', 'one'), 'another provider has sessions of its own');
  const { check } = await takenBack(ended, names.withoutSession('usr_a'));
  await assert.rejects(check(issuedAt(999, { session: ended })), refusal('token_revoked'));
  await assert.rejects(check(issuedAt(999)), refusal('token_revoked'));
  await check(issuedAt(999, { session: other }));
  await check(issuedAt(1001));
});

it('a revoked token of this service is refused; others of the same client are accepted', async () => {
  const { state, check } = await takenBack(names.token('s1.a'));
  state.clients.machine = 'active';
  await assert.rejects(check({ ...client('machine'), tokenId: 's1.a' }), refusal('token_revoked'));
  await check({ ...client('machine'), tokenId: 's1.b' });
});

it('each revocation is read once', async () => {
  const { part, state, announce } = await takenBack();
  await announce();
  assert.equal(state.notesAsked, 2, 'no notes yet: one question for each time');
  for (const seq of [1, 2, 3]) {
    state.revoked.push(noted({ name: names.caller(`usr_${seq}`), seq }));
    await announce();
    assert.equal(state.notesAsked, 2 + seq);
    assert.equal(part.revocations.known.size, seq);
  }
  const { part: later, state: asked } = await takenBack(names.caller('usr_a'), names.caller('usr_b'));
  assert.deepEqual([asked.notesAsked, later.revocations.known.size], [1, 2], 'a process that starts');
});

it('a revocation refuses a token accepted before, and is forgotten when over', async () => {
  const { part, state, clock, announce, check } = await takenBack();
  const token = issuedAt(999);
  await check(token);
  assert.equal(part.revocations.known.size, 0);
  state.revoked = [noted({})];
  await announce();
  await assert.rejects(check(token), refusal('token_revoked'));
  clock.advance(60_000);
  assert.equal(part.revocations.known.size, 0);
  await check(issuedAt(999));
});

it('a clock that is hours ahead for a minute makes no revoked token valid', async () => {
  const revoked = [noted({ forgetAt: Date.now() + 3_600_000 })];
  const { part, clock, check } = await standing({}, { revoked });
  clock.advance(30_000);
  clock.stepWallClock(3 * 3_600_000);
  clock.advance(61_000);
  assert.equal(part.revocations.known.size, 1);
  clock.stepWallClock(-3 * 3_600_000 - 91_000);
  for (const _ of ['the jump back is seen', 'the clock is believed again']) clock.advance(60_000);
  await assert.rejects(check(issuedAt(999)), refusal('token_revoked'));
});

it('an older database state does not weaken a known revocation', async () => {
  const { part, state, announce, check } = await takenBack();
  const name = names.caller('usr_a');
  state.revoked = [noted({ issuedUntil: 900_000 })];
  await announce();
  await check(issuedAt(999));
  state.revoked = [noted({ seq: 2 })];
  await announce();
  await assert.rejects(check(issuedAt(999)), refusal('token_revoked'));
  state.revoked = [noted({ issuedUntil: 900_000, forgetAt: 1 })];
  await announce();
  assert.deepEqual([part.revocations.known.size, state.revoked[0]?.name], [1, name]);
  await assert.rejects(check(issuedAt(999)), refusal('token_revoked'));
});

it('revocations are counted by issuer until they are forgotten', async () => {
  const [issuer, forgetAt] = ['main', Date.now() + 3_600_000];
  const revoked = [
    noted({ issuer, seq: 1 }),
    noted({ name: 'kept for longer', issuer, forgetAt, seq: 2 }),
    noted({ name: 'of the operator', seq: 3 }),
    noted({ name: 'of another issuer', issuer: 'other', seq: 4 }),
  ];
  const { part, state, clock, announce } = await standing({}, { revoked });
  state.revoked.push(noted({ issuer: null, seq: 5, movedFrom: 1 }));
  await announce();
  assert.deepEqual([part.revocations.countOf(issuer), part.revocations.countOf('other')], [2, 1]);
  for (const _ of ['they expire', 'the clock is believed']) clock.advance(61_000);
  assert.deepEqual([part.revocations.countOf(issuer), part.revocations.countOf('other')], [1, 0]);
});
