import { appendFileSync } from 'node:fs';
import { Session } from 'node:inspector';
import { BroadcastChannel, isMainThread } from 'node:worker_threads';

/**
 * Loaded into each thread of a service: notes the thread, and on SIGUSR2 the files that it has entered since the signal
 * before, in a line of the file that ENTERED_FILES names.
 */
const session = new Session();
session.connect();
session.post('Profiler.enable');
session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
const channel = new BroadcastChannel('entered files');
channel.unref();
note([]);
if (isMainThread)
  process.on('SIGUSR2', () => {
    channel.postMessage(null);
    take();
  });
else channel.onmessage = take;

function take(): void {
  session.post('Profiler.takePreciseCoverage', (error, taken) => {
    if (error) throw error;
    const entered = taken.result.filter(({ functions }) =>
      functions.some(({ ranges: [whole] }) => (whole?.count ?? 0) > 0),
    );
    note(entered.flatMap(({ url }) => url.split('/src/')[1] ?? []));
  });
}

function note(files: readonly string[]): void {
  appendFileSync(process.env.ENTERED_FILES ?? '', `${JSON.stringify(files)}\n`);
}
