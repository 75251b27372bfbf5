import assert from 'node:assert/strict';
import type { Processes } from './processes.ts';

/** What is promised, by the middle one of several tries: a machine that runs other tests beside may be slow once. */
const promisedMs = 1_000;
const atWorstMs = 3_000;
const tries = 5;

/** Callers who are suspended, and clients that are disabled, are refused at every process within a second. */
export async function assertShutOutInTime(processes: Processes): Promise<void> {
  const suspended: number[] = [];
  const disabled: number[] = [];
  for (let number = 0; number < tries; number += 1) {
    const token = await processes.provider.token({ sub: `somebody to suspend ${number}` });
    await processes.letIn([token]);
    const { id } = (await processes.me(token))[0]?.json<{ id: string }>() ?? assert.fail();
    await processes.command('consumer', 'suspend', id);
    suspended.push(await refusedAfterMs(processes, token));

    const client = await processes.addClient(`client-to-disable-${number}`);
    const [issued = ''] = await processes.tokens(client);
    await processes.letIn([issued]);
    await processes.command('client', 'disable', client.id);
    disabled.push(await refusedAfterMs(processes, issued));
  }
  for (const [whom, took] of Object.entries({ suspended, disabled })) {
    const sorted = took.toSorted((one, other) => one - other).map(Math.round);
    const text = `${whom}: refused everywhere after ${sorted.join(', ')} ms`;
    assert.ok((sorted[(tries - 1) / 2] ?? Number.NaN) <= promisedMs, text);
    assert.ok((sorted.at(-1) ?? Number.NaN) <= atWorstMs, text);
  }
}

async function refusedAfterMs(processes: Processes, token: string): Promise<number> {
  const began = performance.now();
  await processes.become(403, token);
  return performance.now() - began;
}
