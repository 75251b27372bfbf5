import { type Clock, systemClock } from '../base/clock.ts';
import { ConfirmedTime } from '../base/confirmed-time.ts';
import { createLog, type Log, type LogOutput, standardOutput } from '../base/log.ts';
import { createProgress } from '../base/progress.ts';
import type { Collection } from '../collections/collection.ts';
import { withoutNewcomerLimit } from '../collections/limits.ts';
import { readOpenFileLimit } from '../config/files.ts';
import type { SettingInForce } from '../config/load.ts';
import { readRelease } from '../config/release.ts';
import type { Config } from '../config/settings.ts';
import { type Limits, withinOpenFiles } from '../http/limits.ts';
import { createMetrics } from '../ops/metrics.ts';
import type { Migration } from '../storage/migrations.ts';
import { readCertificate } from './certificate.ts';
import { readDeclaredCollections } from './declared-collections.ts';
import { readFrontend } from './frontend.ts';

type Ready = () => Promise<{ readonly status: number; readonly body: Record<string, unknown> }>;

/** Parts that a test may replace; the service runs on the real ones. */
export interface Surroundings {
  readonly clock?: Clock;
  readonly logOutput?: LogOutput;
  readonly steps?: readonly Migration[];
  /** For the console. */
  readonly settings?: readonly SettingInForce[];
  /** Set for one of several processes of a supervisor. */
  readonly member?: {
    readonly process: number;
    /** Called when `App.ready` can be asked, early in the start. */
    readonly onReadable?: (ready: Ready) => void;
  };
  /** For `dev`: no limits for newcomers, and log lines as text. */
  readonly development?: {
    readonly collections: readonly Collection[];
    readonly logText: (line: string) => string;
  };
}

/** What a start reads and makes before it opens a port or the database. */
export async function prepare(config: Config, surroundings: Surroundings) {
  const { clock = systemClock, member, development } = surroundings;
  const logOutput = surroundings.logOutput ?? standardOutput(member !== undefined);
  const logText = development?.logText;
  const destination = logText ? { write: (line: string) => logOutput.write(logText(line)) } : logOutput;
  const log = createLog(config.logLevel, destination, member && { process: member.process });
  const certificate = readCertificate(config);
  const declared = development?.collections ?? (await readDeclaredCollections(config));
  const collections = development === undefined ? declared : declared.map(withoutNewcomerLimit);
  return {
    clock,
    log,
    logOutput,
    time: new ConfirmedTime(clock, log),
    metrics: createMetrics(),
    progress: createProgress({ clock, everyMs: 10_000, say: (work) => log.info({ work }, 'starting') }),
    limits: limitsOf(config, log),
    release: readRelease(),
    certificate,
    declared,
    collections,
    frontend: readFrontend(config, collections),
  };
}

export type Prepared = Awaited<ReturnType<typeof prepare>>;

function limitsOf(config: Config, log: Log): Limits {
  const openFiles = readOpenFileLimit();
  const limits = withinOpenFiles(config, openFiles);
  if (limits.maxConnections < config.maxConnections)
    log.warn(
      { open_files: openFiles, max_connections: limits.maxConnections },
      `MAX_CONNECTIONS is ${config.maxConnections}, but this process may only have ${openFiles} open files. It accepts ${limits.maxConnections} connections. Raise the limit (LimitNOFILE, ulimit -n) or lower MAX_CONNECTIONS.`,
    );
  return limits;
}
