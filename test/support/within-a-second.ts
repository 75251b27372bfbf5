import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import type { ErrorCode } from '../../src/base/errors.ts';
import type { ApiCaller } from './api-caller.ts';
import type { EventStream } from './event-stream.ts';

/** What docs/sessions.md and docs/operations.md promise. */
const promisedMs = 1_000;
/** Past that nobody is waited for. */
const atWorstMs = 20_000;
const pauseMs = 20;

/** From memory, from the database, and of the log of events. */
const paths = ['/me', '/me/export', '/events?after=0'];

interface ShutOut {
  /** Who is shut out, at one process, and its open stream there. */
  readonly caller: ApiCaller;
  readonly stream: EventStream;
  /** Somebody else at the same process. */
  readonly bystander: ApiCaller;
  /** What it is told, and what its stream ends with. */
  readonly code: ErrorCode;
  /** When it was said that it is done, by performance.now(). */
  readonly since: number;
}

/**
 * Holds a process to the second that is promised, each time and not on average: no request that is sent later is let in, and
 * the stream is over by then. The time runs from when the one who shut the caller out was answered; the note is
 * committed by then, and nobody can know of it earlier.
 *
 * A process that is given no CPU is late with everything, and a second of a test that runs beside others is not a second of
 * the service. So the time of the slowest ordinary request that the same process has answered meanwhile comes on top: one that
 * reads the database, as the look for changes does. Alone on a machine that is a few milliseconds. A service that
 * looked every 1.5 seconds would fail, however busy the machine: what it lets in too long is not slow.
 */
export async function assertShutOutWithinASecond(shutOut: ShutOut): Promise<string> {
  const { caller, stream, bystander, code, since } = shutOut;
  let isOver = false;
  const ordinary = slowest(bystander, () => isOver);
  const streamEnds = async () => {
    await stream.ended();
    assert.equal(stream.reason, code);
    return stream.endedAt;
  };
  const [letInAt, endedAt] = await Promise.all([lastLetIn(caller, code, since), streamEnds()]).finally(() => {
    isOver = true;
  });
  const slowestMs = await ordinary;
  const [letInMs, endedMs] = [letInAt, endedAt].map((at) => Math.round(at - since)) as [number, number];
  const text = `let in until ${letInMs} ms, stream over after ${endedMs} ms, an ordinary request took up to ${Math.round(slowestMs)} ms`;
  assert.ok(Math.max(letInMs, endedMs) <= promisedMs + slowestMs, text);
  return text;
}

/** When the last request was sent that was let in. */
async function lastLetIn(caller: ApiCaller, code: ErrorCode, since: number): Promise<number> {
  for (let last = since; ; ) {
    const sentAt = performance.now();
    const replies = await Promise.all(paths.map((path) => caller.get(path)));
    if (replies.every(({ status }) => status === 403)) {
      for (const reply of replies) assert.equal(reply.json().code, code);
      return last;
    }
    last = sentAt;
    assert.ok(last - since < atWorstMs, 'whoever is shut out is let in');
    await pause(pauseMs);
  }
}

/** How long the slowest request took of those that were answered until it is over. */
async function slowest(bystander: ApiCaller, isOver: () => boolean): Promise<number> {
  let tookMs = 0;
  do {
    const sentAt = performance.now();
    const reply = await bystander.get('/events?after=0');
    assert.equal(reply.status, 200, reply.text);
    tookMs = Math.max(tookMs, performance.now() - sentAt);
    await pause(pauseMs);
  } while (!isOver());
  return tookMs;
}
