import { setTimeout as pause } from 'node:timers/promises';
import type { PinnedService } from '../support/load/pinned-service.ts';
import { openMany, RawConnection } from '../support/load/raw-connection.ts';

/** Writes whose callers have hung up when the service hears of them: it is stopped while they call. How many. */
export async function hangUp(
  origin: string,
  requests: readonly string[],
  { process }: PinnedService,
  waves: number,
): Promise<number> {
  for (let wave = 0; wave < waves; wave += 1) {
    const all = await openMany(requests.length, () => RawConnection.open(origin, '127.0.0.1'));
    process.kill('SIGSTOP');
    for (const [index, connection] of all.entries()) connection.send(String(requests[index]));
    await pause(20);
    for (const { socket } of all) socket.destroy();
    await pause(20);
    process.kill('SIGCONT');
  }
  return waves * requests.length;
}
