import assert from 'node:assert/strict';
import type { ErrorCode } from '../../src/base/errors.ts';
import { ApiCaller } from './api-caller.ts';
import { EventStream } from './event-stream.ts';
import type { Processes } from './processes.ts';
import { assertShutOutWithinASecond } from './within-a-second.ts';

const tries = 3;

/** Callers who are suspended, and clients that are disabled, are refused at every process within a second. */
export async function assertShutOutInTime(processes: Processes): Promise<void> {
  for (let number = 0; number < tries; number += 1) {
    const token = await processes.provider.token({ sub: `somebody to suspend ${number}` });
    await processes.letIn([token]);
    const { id } = (await processes.me(token))[0]?.json<{ id: string }>() ?? assert.fail();
    await isShutOut(processes, token, 'consumer_suspended', ['consumer', 'suspend', id]);

    const client = await processes.addClient(`client-to-disable-${number}`);
    const [issued = ''] = await processes.tokens(client);
    await processes.letIn([issued]);
    await isShutOut(processes, issued, 'client_disabled', ['client', 'disable', client.id]);
  }
}

/** By this command, at every process. */
async function isShutOut(
  processes: Processes,
  token: string,
  code: ErrorCode,
  command: readonly string[],
): Promise<void> {
  const bystander = await processes.provider.token({ sub: `somebody else than ${command.at(-1)}` });
  await processes.letIn([bystander]);
  const places = await Promise.all(
    processes.services.map(async ({ url }) => {
      const caller = new ApiCaller(url, token);
      return { caller, bystander: new ApiCaller(url, bystander), stream: await EventStream.open(caller) };
    }),
  );
  await processes.command(...command);
  const since = performance.now();
  await Promise.all(places.map((place) => assertShutOutWithinASecond({ ...place, code, since })));
}
