import { type Clock, every } from '../base/clock.ts';
import { isoTime } from '../base/date-time.ts';
import { singleFlight } from '../base/single-flight.ts';
import { Alerts, alertsElsewhere } from './alerts.ts';
import { hourSeconds, trafficData } from './console-traffic.ts';
import type { Family } from './exposition.ts';
import type { ReadinessAnswer } from './health.ts';
import { History, stepSeconds } from './history.ts';
import type { MetricName } from './metric-catalogue.ts';

/** What one process knows besides its metrics. Plain data: several processes send it to their supervisor. */
export interface ConsoleState {
  readonly collections: readonly { readonly name: string }[];
  readonly [part: string]: unknown;
}

export interface ConsoleReading {
  /** Metrics of all processes together. */
  readonly families: readonly Family[];
  /** Null for a process that does not answer. */
  readonly processes: readonly {
    readonly process: number;
    /** How often another one had to take its place. */
    readonly endings: number;
    readonly families: readonly Family[] | null;
  }[];
}

export interface ConsoleParts {
  readonly read: () => Promise<ConsoleReading>;
  readonly ready: () => Promise<ReadinessAnswer>;
  /** Null if no process answers. */
  readonly state: () => Promise<ConsoleState | null>;
  readonly settings: readonly unknown[];
  readonly clock: Clock;
}

/** Viewers of the console share one answer for this long. */
const sharedMs = 1_000;

/** The data of the console: one JSON text, built at most once a second for all viewers. */
export class ConsoleData {
  readonly #parts: ConsoleParts;
  readonly #history: History;
  readonly #alerts: Alerts;
  #cancel = () => {};
  #processes: ConsoleReading['processes'] = [];
  #text = '';
  #textAt = Number.NEGATIVE_INFINITY;

  constructor(parts: ConsoleParts) {
    this.#parts = parts;
    this.#history = new History(parts.clock);
    this.#alerts = new Alerts(parts.clock);
  }

  /** The history is kept from now on, whether or not the console is open. */
  async start(): Promise<void> {
    await this.#read();
    this.#cancel = every(this.#parts.clock, stepSeconds * 1000, () => void this.#step());
  }

  stop(): void {
    this.#cancel();
  }

  readonly text = singleFlight(async (): Promise<string> => {
    const { clock } = this.#parts;
    if (clock.monotonic() - this.#textAt < sharedMs) return this.#text;
    await this.#read();
    this.#text = JSON.stringify(await this.#data(), rounded);
    this.#textAt = clock.monotonic();
    return this.#text;
  });

  async #step(): Promise<void> {
    await this.#read().catch(() => {});
    this.#history.step();
    this.#alerts.evaluate(this.#history);
  }

  async #read(): Promise<void> {
    const { families, processes } = await this.#parts.read();
    this.#history.read(families);
    this.#processes = processes;
  }

  async #data() {
    const { ready, state: readState, settings, clock } = this.#parts;
    const [{ body: health }, state] = await Promise.all([ready(), readState()]);
    const history = this.#history;
    const one = (name: MetricName) => history.samples(name)[0]?.value ?? null;
    const writes = { now: history.rates('writes'), hour: history.increases('writes', hourSeconds) };
    return {
      at: isoTime(clock.now()),
      build: history.samples('vestibule_build_info')[0]?.labels ?? {},
      health,
      ...state,
      collections: state?.collections.map((collection) => ({
        ...collection,
        writes_per_second: writes.now.get(collection.name) ?? 0,
        writes_last_hour: writes.hour.get(collection.name) ?? 0,
      })),
      traffic: trafficData(history),
      sign_outs: Object.fromEntries(history.increases('sign_out', hourSeconds)),
      revocations: one('vestibule_revocations'),
      signatures_waiting: one('vestibule_signatures_waiting'),
      write_queue: {
        length: one('vestibule_write_queue_length'),
        oldest_seconds: one('vestibule_write_queue_oldest_seconds'),
        records_per_second: history.rates('written').get('all') ?? 0,
      },
      sessions: {
        in_use: history.samples('vestibule_database_sessions').find(({ labels }) => labels.state === 'in_use')
          ?.value,
        limit: one('vestibule_database_sessions_limit'),
        waiting: one('vestibule_database_sessions_waiting'),
      },
      machine: {
        processes: this.#processes.map(({ families, ...process }) => ({
          ...process,
          ...processData(families),
        })),
        wanted: one('vestibule_processes_wanted') ?? 1,
        serving: one('vestibule_processes_serving') ?? 1,
        ended: one('vestibule_processes_ended_total') ?? 0,
        cpu: history.rates('cpu').get('all') ?? 0,
      },
      alerts: this.#alerts.evaluate(history),
      alerts_elsewhere: alertsElsewhere,
      settings,
    };
  }
}

/** Current values of one process. */
function processData(families: readonly Family[] | null) {
  const one = (name: MetricName) =>
    families?.find((family) => family.name === name)?.samples[0]?.value ?? null;
  const startedAt = one('process_start_time_seconds');
  return {
    answers: families !== null,
    started_at: startedAt === null ? null : isoTime(startedAt * 1000),
    memory_bytes: one('process_resident_memory_bytes'),
    loop_p99_seconds: one('nodejs_eventloop_lag_p99_seconds'),
    connections: one('vestibule_connections_open'),
    streams: one('vestibule_event_streams_open'),
  };
}

/** Rounds measurements to four digits. */
function rounded(_name: string, value: unknown): unknown {
  return typeof value === 'number' && !Number.isInteger(value) ? Number(value.toPrecision(4)) : value;
}
