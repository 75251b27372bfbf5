import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { ErrorCode } from '../../src/base/errors.ts';
import { plainSql } from '../support/databases/plain-sql.ts';
import type { ApiCaller } from '../support/http/api-caller.ts';
import { type Deployment, deployment } from '../support/services/deployment.ts';
import { me, someEngine } from '../support/services/service.ts';
import { SlowRequest } from './slow-request.ts';

const declarations = {
  notes: 'schema: { properties: { text: { type: string, maxLength: 100 } } }\naccess: { clients: own }\n',
};

const body = JSON.stringify({ text: 'written too late' });

/** An authenticated write whose body has arrived in part. */
async function beginWrite({ url, token }: ApiCaller): Promise<SlowRequest> {
  const path = me.replace('/me', '/notes');
  const write = await SlowRequest.begin(url, path, body.length, `authorization: Bearer ${token}`);
  write.write(body.slice(0, 10));
  return write;
}

for (const engine of someEngine)
  describe(`a caller that loses access while its body uploads, on ${engine}`, () => {
    const one = deployment({ engine, declarations });

    const written = async () =>
      Number((await plainSql(one().settings).query('select count(*) as n from records'))[0]?.n ?? -1);
    const idOf = async (caller: ApiCaller) => (await caller.get('/me')).json<{ id: string }>().id;
    const command = (...parameters: string[]) => one().command(...parameters);

    it('the write is stored if access is kept (control)', async () => {
      const before = await written();
      const reply = await (await beginWrite(await one().person())).finish(body.slice(10));
      assert.equal(reply.status, 201, reply.text);
      assert.equal(await written(), before + 1);
    });

    /** The caller, the change during the body, and the expected answer. */
    const cases: Record<
      string,
      readonly [
        code: ErrorCode,
        (declared: Deployment) => Promise<ApiCaller>,
        (caller: ApiCaller) => Promise<unknown>,
      ]
    > = {
      'is suspended': [
        'consumer_suspended',
        (declared) => declared.person(),
        async (caller) => command('consumer', 'suspend', await idOf(caller)),
      ],
      'is signed out': [
        'token_revoked',
        (declared) => declared.person(),
        async (caller) => command('consumer', 'sign-out', await idOf(caller)),
      ],
      'is a client that is disabled': [
        'client_disabled',
        async (declared) => declared.machine('slow'),
        () => command('client', 'disable', 'slow'),
      ],
      'has a token that expires': [
        'token_expired',
        (declared) => declared.person({ exp: Math.floor(Date.now() / 1000) + 60 }),
        () => one().advance(66_000),
      ],
    };
    for (const [what, [code, begin, happens]] of Object.entries(cases))
      it(`the write is refused when the caller ${what}`, async () => {
        const caller = await begin(one());
        const before = await written();
        const write = await beginWrite(caller);
        await happens(caller);
        await one().become(403, caller.token);
        const reply = await write.finish(body.slice(10));
        assert.deepEqual([reply.status, reply.json().code], [403, code]);
        assert.equal(await written(), before);
      });
  });
