import assert from 'node:assert/strict';
import type { ErrorCode } from '../../../src/base/errors.ts';
import { ApiCaller } from '../http/api-caller.ts';
import { EventStream } from '../http/event-stream.ts';
import type { Reply } from '../http/request.ts';
import { until } from '../run/polling.ts';
import type { Deployment } from '../services/deployment.ts';
import type { Service } from '../services/service.ts';

/** Less than the second that docs/tokens.md and docs/operations.md promise. */
const passingMs = 999;
/** Longer than the interval between two polls for changes. */
const betweenReadsMs = 5_000;

/** From memory, from the database, and of the log of events. */
const paths = ['/me', '/me/export', '/events?after=0'];

interface ShutOut {
  readonly token: string;
  /** Of another caller, who stays. */
  readonly bystander: string;
  /** Of the refusal, and of the end of the stream. */
  readonly code: ErrorCode;
  /** Shuts it out. */
  act(): Promise<unknown>;
}

/** Every service refuses the caller, and ends its stream, before a second of injected time has passed since `act`. */
export async function assertShutOutWithinASecond(
  services: readonly Service[],
  { token, bystander, code, act }: ShutOut,
): Promise<void> {
  const callers = services.map(({ url }) => new ApiCaller(url, token));
  const streams = await Promise.all(callers.map((caller) => EventStream.open(caller)));
  for (const service of services) await service.holdTime(true);
  try {
    // Each service has just read the changes: the next read is as far away as it can be.
    for (const service of services) await service.advance(betweenReadsMs);
    await act();
    for (const service of services) await service.advance(passingMs);
    for (const caller of callers) {
      const ask = () => Promise.all(paths.map((path) => caller.get(path)));
      const areRefused = (all: Reply[]) => all.every(({ status }) => status === 403);
      const replies = await until(ask, areRefused, 'a caller who is shut out is let in');
      for (const reply of replies) assert.equal(reply.json().code, code);
    }
    for (const stream of streams) {
      await stream.ended();
      assert.equal(stream.reason, code);
    }
  } finally {
    for (const service of services) await service.holdTime(false);
  }
  for (const { url } of services) {
    const reply = await new ApiCaller(url, bystander).get('/events?after=0');
    assert.equal(reply.status, 200, reply.text);
  }
}

/** Callers who are suspended, and clients that are disabled, are refused at every process within a second. */
export async function assertShutOutInTime(processes: Deployment): Promise<void> {
  const { provider, services } = processes;
  const bystander = await provider.token({ sub: 'somebody who stays' });
  const token = await provider.token({ sub: 'somebody to suspend' });
  await processes.letIn([bystander, token]);
  const { id } = (await processes.meAtEach(token))[0]?.json<{ id: string }>() ?? assert.fail();
  const act = () => processes.command('consumer', 'suspend', id);
  await assertShutOutWithinASecond(services, { token, bystander, code: 'consumer_suspended', act });

  const client = await processes.addClient('client-to-disable');
  const [issued = ''] = await processes.tokens(client);
  await processes.letIn([issued]);
  const disable = () => processes.command('client', 'disable', client.id);
  const disabled = { token: issued, bystander, code: 'client_disabled', act: disable } as const;
  await assertShutOutWithinASecond(services, disabled);
}
