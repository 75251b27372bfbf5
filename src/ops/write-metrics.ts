import type { SessionStatus } from '../storage/port.ts';
import type { Exposition } from './exposition.ts';
import { Histogram } from './histogram.ts';

/** Upper bounds of the operations in a batch, of which there are 256 at most. */
const sizes = [1, 2, 4, 8, 16, 32, 64, 128, 256];
const seconds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];

/** Batches of writes; the function that counts one. */
export function describeBatches(exposition: Exposition): (size: number, durationSeconds: number) => void {
  const batchSizes = new Histogram(sizes);
  const durations = new Histogram(seconds);
  const sizeHelp = 'Writes that shared a transaction.';
  exposition.add({ name: 'vestibule_write_batch_size', type: 'histogram', help: sizeHelp }, () =>
    batchSizes.samples(),
  );
  const durationHelp = 'Time from the beginning of a batch of writes to the end of its commit.';
  exposition.add(
    { name: 'vestibule_write_batch_duration_seconds', type: 'histogram', help: durationHelp },
    () => durations.samples(),
  );
  return (size, durationSeconds) => {
    batchSizes.add(size);
    durations.add(durationSeconds);
  };
}

/** What waits for its batch. */
export interface WriteQueueStatus {
  readonly length: number;
  readonly oldestSeconds: number;
}

export function describeWriteQueue(exposition: Exposition, queue: () => WriteQueueStatus): void {
  exposition.gauge(
    'vestibule_write_queue_length',
    'Writes that wait for their batch now.',
    () => queue().length,
    'sum',
  );
  exposition.gauge(
    'vestibule_write_queue_oldest_seconds',
    'How long the one that came first has waited; 0 when none waits. Past 1.5 it is refused.',
    () => queue().oldestSeconds,
  );
}

/** The sessions of this process with PostgreSQL. */
export function describeSessions(exposition: Exposition, sessions: () => SessionStatus): void {
  const use = 'Sessions of this process with PostgreSQL, by what they do: "in_use" or "idle".';
  exposition.add({ name: 'vestibule_database_sessions', type: 'gauge', help: use, across: 'sum' }, () => {
    const { inUse, idle } = sessions();
    return [
      { labels: { state: 'in_use' }, value: inUse },
      { labels: { state: 'idle' }, value: idle },
    ];
  });
  exposition.gauge(
    'vestibule_database_sessions_limit',
    'The most sessions it may have (DATABASE_POOL_SIZE).',
    () => sessions().most,
    'sum',
  );
  exposition.gauge(
    'vestibule_database_sessions_waiting',
    'Who waits now for a session to become free.',
    () => sessions().waiting,
    'sum',
  );
  exposition.total(
    'vestibule_database_session_waits_total',
    'How often all sessions were in use when one was asked for.',
    () => sessions().waits,
  );
  exposition.total(
    'vestibule_database_session_wait_seconds_total',
    'How long all of those have waited together.',
    () => sessions().waitedSeconds,
  );
}
