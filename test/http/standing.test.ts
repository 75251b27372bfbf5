import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { assertProblem } from '../support/http/answers.ts';
import { withToken } from '../support/http/request.ts';
import { type Deployment, deployment } from '../support/services/deployment.ts';
import { databaseEngines, me, startService } from '../support/services/service.ts';
import { tokenOf } from '../support/tokens/token-endpoint.ts';

/** One second is promised; parallel tests can delay it. */
const promisedMs = 5_000;

for (const engine of databaseEngines)
  describe(`suspension and disabling by the operator, on ${engine}`, () => {
    const running = deployment({ engine, processes: 2 });
    let two: Deployment;
    before(() => {
      two = running();
    });
    /** Uses the token twice at both processes, so that both have cached it. Returns the answer of /me. */
    const letIn = async (token: string) => {
      await two.letIn([token, token]);
      return (await two.me(token)).json();
    };
    const becomes = (status: number, token: string) => two.become(status, token, promisedMs);

    it('a suspended caller is refused everywhere with its token, and admitted again when resumed', async () => {
      const token = await two.provider.token({ sub: 'somebody to suspend' });
      const bystander = await two.provider.token({ sub: 'somebody else' });
      const { id, registered_at: registeredAt } = await letIn(token);
      await letIn(bystander);
      await two.command('consumer', 'suspend', String(id));
      for (const reply of await becomes(403, token)) assertProblem(reply, 'consumer_suspended');
      const fresh = await two.provider.token({ sub: 'somebody to suspend' });
      for (const reply of await two.meAtEach(fresh)) assertProblem(reply, 'consumer_suspended');
      await letIn(bystander);
      await two.command('consumer', 'resume', String(id));
      await becomes(200, token);
      const again = await letIn(fresh);
      assert.deepEqual([again.id, again.registered_at], [id, registeredAt], 'it is the caller it was');
    });

    it('the token of a new client works at once at both processes', async () => {
      for (const id of ['brand-new-1', 'brand-new-2', 'brand-new-3']) {
        const token = await tokenOf(two.serviceAt(1).url, await two.addClient(id));
        await letIn(token);
      }
    });

    it('a process that starts later refuses suspended callers', async () => {
      const token = await two.provider.token({ sub: 'suspended before' });
      const { id } = await letIn(token);
      await two.command('consumer', 'suspend', String(id));
      const third = await startService(two.settings);
      const reply = await withToken(third.url + me, token).finally(() => third.stop());
      assertProblem(reply, 'consumer_suspended');
    });

    it('a caller that is suspended and resumed repeatedly ends in its last state', async () => {
      const token = await two.provider.token({ sub: 'to and fro' });
      const { id } = await letIn(token);
      for (let count = 0; count < 3; count += 1) {
        await two.command('consumer', 'suspend', String(id));
        await two.command('consumer', 'resume', String(id));
      }
      await two.command('consumer', 'suspend', String(id));
      await becomes(403, token);
      await two.command('consumer', 'resume', String(id));
      await becomes(200, token);
    });
  });
