import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { idleTimeoutSocket } from './pool.ts';
import { isTemporary, unavailable } from './unavailable.ts';

/** A server that starts together with this machine, or recovers after a crash, usually answers within a minute. */
const longestWaitMs = 60_000;
const firstPauseMs = 500;
const longestPauseMs = 5_000;
const answerWithinMs = 3_000;

interface WaitOptions {
  readonly onFailure: (reason: string) => void;
  readonly monotonic?: () => number;
  readonly pause?: (milliseconds: number) => Promise<unknown>;
}

/** Connects with backoff until PostgreSQL answers, for a minute. The start that follows reports a lasting failure. */
export async function waitForServer(url: string, options: WaitOptions): Promise<void> {
  const { onFailure, monotonic = () => performance.now(), pause = sleep } = options;
  const deadline = monotonic() + longestWaitMs;
  const reported = new Set<string>();
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(pauseMs * 2, longestPauseMs)) {
    const error = await failureOfQuery(url);
    if (error === null || !isTemporary(error) || monotonic() + pauseMs > deadline) return;
    const reason = unavailable(error)?.options.detail ?? String(error);
    if (!reported.has(reason)) onFailure(reason);
    reported.add(reason);
    await pause(pauseMs);
  }
}

/** Runs a query, because a pooler accepts connections even if its server is down. */
async function failureOfQuery(url: string): Promise<unknown> {
  const client = new Client({
    connectionString: url,
    connectionTimeoutMillis: answerWithinMs,
    query_timeout: answerWithinMs,
    application_name: 'vestibule',
    // Ends by itself if the server does not answer the close message.
    stream: () => idleTimeoutSocket(),
  });
  client.on('error', () => {});
  try {
    await client.connect();
    await client.query('select 1');
    return null;
  } catch (error) {
    return error;
  } finally {
    client.end().catch(() => {});
  }
}
