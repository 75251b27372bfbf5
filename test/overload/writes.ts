import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as pause } from 'node:timers/promises';
import type { PinnedService } from './pinned-service.ts';
import { openMany, type RawAnswer, RawConnection } from './raw-connection.ts';
import { Samples } from './samples.ts';

export interface WriteLoad {
  readonly origin: string;
  readonly tokens: readonly string[];
  readonly seconds: number;
}

/** What became of the writes of a load. */
export class Outcomes {
  readonly accepted = new Samples();
  readonly refused = new Samples();
  readonly others = new Map<number, number>();
  withoutRetryAfter = 0;
  sent = 0;
  /** Due, and not sent because every connection was waiting. */
  heldBack = 0;
  cutOff = 0;
  unanswered = 0;
  /** How long the load's own event loop kept answers waiting; the times above include it. */
  ownDelayMs = 0;

  take({ status, head, milliseconds }: RawAnswer): void {
    if (status === 201) this.accepted.add(milliseconds);
    else if (status === 503) {
      this.refused.add(milliseconds);
      if (!/\r\nretry-after: \d/i.test(head)) this.withoutRetryAfter += 1;
    } else this.others.set(status, (this.others.get(status) ?? 0) + 1);
  }
}

const path = '/api/consumer/v1/notes';
const body = JSON.stringify({ text: 'a note of an ordinary length, as somebody would write it', stars: 3 });

export function writeRequest(token: string): string {
  const lines = ['host: a', `authorization: Bearer ${token}`, 'content-type: application/json'];
  return `POST ${path} HTTP/1.1\r\n${lines.join('\r\n')}\r\ncontent-length: ${body.length}\r\n\r\n${body}`;
}

/** As many writes as the service can take: each connection sends the next one when it has its answer. */
export async function capacity({ origin, tokens, seconds }: WriteLoad, connections: number) {
  const requests = tokens.map(writeRequest);
  let isOver = false;
  let next = 0;
  const sendNext = (connection: RawConnection) => {
    next += 1;
    connection.send(String(requests[next % requests.length]));
  };
  const outcomes = new Outcomes();
  const all = await openMany(connections, () =>
    RawConnection.open(origin, '127.0.0.1', (answer, connection) => {
      outcomes.take(answer);
      if (!isOver) sendNext(connection);
    }),
  );
  all.forEach(sendNext);
  await pause(seconds * 1000);
  isOver = true;
  await pause(1_000);
  for (const { socket } of all) socket.destroy();
  return { perSecond: outcomes.accepted.count / seconds, outcomes };
}

/** Writes at a pace, whether or not the earlier ones are answered; up to so many behind each other on a connection. */
export async function overload(
  { origin, tokens, seconds }: WriteLoad,
  { perSecond, connections, pipelined }: { perSecond: number; connections: number; pipelined: number },
): Promise<Outcomes> {
  const requests = tokens.map(writeRequest);
  const outcomes = new Outcomes();
  const free: RawConnection[] = [];
  const all = await openMany(connections, (index) =>
    RawConnection.open(origin, `127.0.0.${1 + (index % 8)}`, (answer, connection) => {
      outcomes.take(answer);
      if (connection.waiting === pipelined - 1) free.push(connection);
    }),
  );
  free.push(...all);
  const delay = monitorEventLoopDelay({ resolution: 5 });
  delay.enable();
  const startedAt = performance.now();
  for (let due = 0; ; ) {
    const elapsed = performance.now() - startedAt;
    if (elapsed > seconds * 1000) break;
    for (const target = (elapsed * perSecond) / 1000; due < target; due += 1) {
      const connection = free.pop();
      if (connection === undefined) outcomes.heldBack += 1;
      else if (connection.isOpen) {
        connection.send(String(requests[due % requests.length]));
        outcomes.sent += 1;
        if (connection.waiting < pipelined) free.push(connection);
      }
    }
    await pause(2);
  }
  outcomes.ownDelayMs = Math.round(delay.percentile(99) / 1e6);
  delay.disable();
  // Those who were taken in have an answer by then.
  await pause(2_500);
  outcomes.cutOff = all.filter(({ isOpen }) => !isOpen).length;
  outcomes.unanswered = all.reduce((sum, { isOpen, waiting }) => sum + (isOpen ? waiting : 0), 0);
  for (const { socket } of all) socket.destroy();
  return outcomes;
}

/** Writes whose callers have hung up when the service hears of them: it is stopped while they call. How many. */
export async function hangUp(
  { origin, tokens }: WriteLoad,
  { process }: PinnedService,
  waves: number,
): Promise<number> {
  const requests = tokens.map(writeRequest);
  for (let wave = 0; wave < waves; wave += 1) {
    const all = await openMany(tokens.length, () => RawConnection.open(origin, '127.0.0.1'));
    process.kill('SIGSTOP');
    for (const [index, connection] of all.entries()) connection.send(String(requests[index]));
    await pause(20);
    for (const { socket } of all) socket.destroy();
    await pause(20);
    process.kill('SIGCONT');
  }
  return waves * tokens.length;
}
