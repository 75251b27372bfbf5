import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { succeeded } from '../support/commands/outcome.ts';
import { assertProblem } from '../support/http/answers.ts';
import { assertRefused } from '../support/http/refusals.ts';
import { type Reply, withToken } from '../support/http/request.ts';
import { until } from '../support/run/polling.ts';
import {
  addClient,
  type DatabaseEngine,
  databaseEngines,
  me,
  newSettings,
  runVestibule,
  type Service,
  type Settings,
  startService,
} from '../support/services/service.ts';
import { TestProvider } from '../support/tokens/provider.ts';
import { tokenOf } from '../support/tokens/token-endpoint.ts';

/** One second is promised; parallel tests can delay it. */
const promisedMs = 5_000;

/** Two processes that share a database. */
class TwoServices {
  readonly provider: TestProvider;
  readonly settings: Settings;
  readonly services: readonly Service[];

  constructor(provider: TestProvider, settings: Settings, services: readonly Service[]) {
    this.provider = provider;
    this.settings = settings;
    this.services = services;
  }

  static async start(engine: DatabaseEngine): Promise<TwoServices> {
    const provider = await TestProvider.start();
    const settings = await newSettings(engine, provider.settings);
    return new TwoServices(provider, settings, [await startService(settings), await startService(settings)]);
  }

  async stop(): Promise<void> {
    for (const service of this.services) await service.stop();
    await this.provider.stop();
  }

  me(token: string): Promise<Reply[]> {
    return Promise.all(this.services.map(({ url }) => withToken(url + me, token)));
  }

  async command(...parameters: string[]): Promise<string> {
    return succeeded(await runVestibule(this.settings, ...parameters));
  }

  /** Uses the token twice at both processes, so that both have cached it. Returns the answer of /me. */
  async letIn(token: string): Promise<Record<string, unknown>> {
    for (const reply of [...(await this.me(token)), ...(await this.me(token))])
      assert.equal(reply.status, 200, reply.text);
    return (await this.me(token))[0]?.json() ?? {};
  }

  /** Waits until both answer with this status, within the promised time. */
  becomes(status: number, token: string): Promise<Reply[]> {
    return until(
      () => this.me(token),
      (replies) => replies.every((reply) => reply.status === status),
      `/me does not become ${status} at both`,
      promisedMs,
    );
  }
}

for (const engine of databaseEngines) {
  describe(`suspension and disabling by the operator, on ${engine}`, () => {
    let two: TwoServices;
    before(async () => {
      two = await TwoServices.start(engine);
    });
    after(() => two.stop());

    it('a suspended caller is refused everywhere with its token, and admitted again when resumed', async () => {
      const token = await two.provider.token({ sub: 'somebody to suspend' });
      const bystander = await two.provider.token({ sub: 'somebody else' });
      const { id, registered_at: registeredAt } = await two.letIn(token);
      await two.letIn(bystander);
      await two.command('consumer', 'suspend', String(id));
      for (const reply of await two.becomes(403, token)) assertProblem(reply, 'consumer_suspended');
      const fresh = await two.provider.token({ sub: 'somebody to suspend' });
      for (const reply of await two.me(fresh)) assertProblem(reply, 'consumer_suspended');
      await two.letIn(bystander);
      await two.command('consumer', 'resume', String(id));
      await two.becomes(200, token);
      const again = await two.letIn(fresh);
      assert.deepEqual([again.id, again.registered_at], [id, registeredAt], 'it is the caller it was');
    });

    const admittedClient = async (id: string) => {
      const secret = await addClient(two.settings, id);
      const token = await tokenOf(String(two.services[0]?.url), { id, secret });
      await two.letIn(token);
      return token;
    };

    it('a disabled client is refused everywhere with its token, until it is enabled', async () => {
      const token = await admittedClient('client-to-disable');
      await two.command('client', 'disable', 'client-to-disable');
      for (const reply of await two.becomes(403, token)) assertRefused(reply, 'client_disabled', token);
      await two.command('client', 'enable', 'client-to-disable');
      await two.becomes(200, token);
    });

    it('a removed client is refused everywhere with its token', async () => {
      const token = await admittedClient('client-to-remove');
      await two.command('client', 'remove', 'client-to-remove', '--yes');
      for (const reply of await two.becomes(403, token)) assertRefused(reply, 'client_disabled', token);
    });

    it('the token of a new client works at once at both processes', async () => {
      for (const id of ['brand-new-1', 'brand-new-2', 'brand-new-3']) {
        const secret = await addClient(two.settings, id);
        const token = await tokenOf(String(two.services[1]?.url), { id, secret });
        await two.letIn(token);
      }
    });

    it('a process that starts later refuses suspended callers', async () => {
      const token = await two.provider.token({ sub: 'suspended before' });
      const { id } = await two.letIn(token);
      await two.command('consumer', 'suspend', String(id));
      const third = await startService(two.settings);
      const reply = await withToken(third.url + me, token).finally(() => third.stop());
      assertProblem(reply, 'consumer_suspended');
    });

    it('a caller that is suspended and resumed repeatedly ends in its last state', async () => {
      const token = await two.provider.token({ sub: 'to and fro' });
      const { id } = await two.letIn(token);
      for (let count = 0; count < 3; count += 1) {
        await two.command('consumer', 'suspend', String(id));
        await two.command('consumer', 'resume', String(id));
      }
      await two.command('consumer', 'suspend', String(id));
      await two.becomes(403, token);
      await two.command('consumer', 'resume', String(id));
      await two.becomes(200, token);
    });
  });
}
