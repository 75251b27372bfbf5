import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as pause } from 'node:timers/promises';
import { openMany, type RawAnswer, RawConnection } from '../support/load/raw-connection.ts';

export class Samples {
  readonly #values: number[] = [];

  add(milliseconds: number): void {
    this.#values.push(milliseconds);
  }

  get count(): number {
    return this.#values.length;
  }

  /** In a text: how many, and the times. */
  toString(): string {
    if (this.count === 0) return 'none';
    const sorted = this.#values.toSorted((one, other) => one - other);
    const at = (part: number) => Math.round(sorted[Math.ceil(sorted.length * part) - 1] ?? 0);
    return `${this.count}, p50 ${at(0.5)} ms, p99 ${at(0.99)} ms, longest ${at(1)} ms`;
  }
}

/** The same kind of request, again and again. */
export interface Load {
  readonly origin: string;
  /** As bytes, in turn. */
  readonly requests: readonly string[];
  /** A member of every answer that is no refusal. */
  readonly good: number;
  readonly seconds: number;
}

export class Outcomes {
  readonly #good: number;
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

  constructor(good: number) {
    this.#good = good;
  }

  take({ status, head, milliseconds }: RawAnswer): void {
    if (status === this.#good) this.accepted.add(milliseconds);
    else if (status === 503) {
      this.refused.add(milliseconds);
      if (!/\r\nretry-after: \d/i.test(head)) this.withoutRetryAfter += 1;
    } else this.others.set(status, (this.others.get(status) ?? 0) + 1);
  }
}

/** As many as the service can take: each connection sends the next one when it has its answer. */
export async function capacity({ origin, requests, good, seconds }: Load, connections: number) {
  let isOver = false;
  let next = 0;
  const sendNext = (connection: RawConnection) => {
    next += 1;
    connection.send(String(requests[next % requests.length]));
  };
  const outcomes = new Outcomes(good);
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

/** Does what is due, at a pace, whether or not the earlier ones are answered. */
export async function paced(seconds: number, perSecond: number, send: (number: number) => void) {
  const startedAt = performance.now();
  for (let due = 0; ; ) {
    const elapsed = performance.now() - startedAt;
    if (elapsed > seconds * 1000) return;
    for (const target = (elapsed * perSecond) / 1000; due < target; due += 1) send(due);
    await pause(2);
  }
}

/** At a pace; one at a time on a connection. */
export async function overload(
  { origin, requests, good, seconds }: Load,
  { perSecond, connections }: { perSecond: number; connections: number },
): Promise<Outcomes> {
  const outcomes = new Outcomes(good);
  const free: RawConnection[] = [];
  const all = await openMany(connections, (index) =>
    RawConnection.open(origin, `127.0.0.${1 + (index % 8)}`, (answer, connection) => {
      outcomes.take(answer);
      free.push(connection);
    }),
  );
  free.push(...all);
  const delay = monitorEventLoopDelay({ resolution: 5 });
  delay.enable();
  await paced(seconds, perSecond, (number) => {
    const connection = free.pop();
    if (connection === undefined) outcomes.heldBack += 1;
    else if (connection.isOpen) {
      connection.send(String(requests[number % requests.length]));
      outcomes.sent += 1;
    }
  });
  outcomes.ownDelayMs = Math.round(delay.percentile(99) / 1e6);
  delay.disable();
  // Those who were taken in have an answer by then.
  await pause(2_500);
  outcomes.cutOff = all.filter(({ isOpen }) => !isOpen).length;
  outcomes.unanswered = all.reduce((sum, { isOpen, waiting }) => sum + (isOpen ? waiting : 0), 0);
  for (const { socket } of all) socket.destroy();
  return outcomes;
}
