import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { concurrently } from '../support/load/flood.ts';
import { type Load, Outcomes, paced } from './load.ts';

/** How many may be under way; a load of which more are waiting does not wait for an answer any more. */
const maxAtOnce = 4_000;

/** Live streams that are opened, as many as the service can take: each is left when it has begun, and the next one opened. */
export async function streamCapacity(load: Load, atOnce: number) {
  const outcomes = new Outcomes(load.good);
  const endsAt = performance.now() + load.seconds * 1000;
  await concurrently(atOnce, atOnce, async () => {
    while (performance.now() < endsAt) await openStream(load, outcomes);
  });
  return { perSecond: outcomes.accepted.count / load.seconds, outcomes };
}

/** At a pace, as when all come again after a restart, whether or not the earlier ones have begun. */
export async function streamOverload(load: Load, perSecond: number): Promise<Outcomes> {
  const outcomes = new Outcomes(load.good);
  await paced(load.seconds, perSecond, () => {
    if (outcomes.unanswered >= maxAtOnce) outcomes.heldBack += 1;
    else void openStream(load, outcomes);
  });
  await pause(2_500);
  return outcomes;
}

/** From the first packet of its connection to the event that says where it begins. */
async function openStream({ origin, requests }: Load, outcomes: Outcomes): Promise<void> {
  const { hostname, port } = new URL(origin);
  const number = outcomes.sent;
  outcomes.sent += 1;
  outcomes.unanswered += 1;
  const startedAt = performance.now();
  const localAddress = `127.0.0.${1 + (number % 8)}`;
  const socket = connect({ host: hostname, port: Number(port), localAddress, noDelay: true });
  let received = '';
  try {
    await once(socket, 'connect');
    socket.setEncoding('latin1').write(String(requests[number % requests.length]));
    for await (const chunk of socket) {
      received += chunk;
      const status = Number(received.slice(9, 12));
      if (!received.includes(status === 200 ? 'event: start' : '\r\n\r\n')) continue;
      const milliseconds = performance.now() - startedAt;
      outcomes.take({ status, head: received, milliseconds });
      return;
    }
    outcomes.cutOff += 1;
  } catch {
    outcomes.cutOff += 1;
  } finally {
    outcomes.unanswered -= 1;
    socket.destroy();
  }
}
