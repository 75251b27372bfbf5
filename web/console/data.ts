/** A line of a chart: the values of the last hour, oldest first, and the present value. Null if there is no value. */
export interface Line {
  readonly name: string;
  readonly now: number | null;
  readonly line: readonly (number | null)[];
}

interface Count {
  readonly name: string;
  readonly hour: number;
  readonly recent: number;
}

export interface Provider {
  readonly name: string;
  readonly usable: boolean;
  readonly keys: number;
  readonly alarming_keys: number;
  readonly age_seconds: number | null;
  readonly next_fetch_seconds: number;
  readonly stale_seconds_left: number;
  readonly last_fault: string | null;
}

export interface Collection {
  readonly name: string;
  readonly title: string;
  readonly states:
    | readonly { readonly state: string | null; readonly records: number; readonly bytes: number }[]
    | null;
  readonly counted_at: string | null;
  readonly writes_per_second: number;
  readonly writes_last_hour: number;
}

export interface Client {
  readonly id: string;
  readonly label: string;
  readonly state: string;
  readonly secrets: readonly { readonly expires_at: string | null; readonly last_used_on: string | null }[];
}

export interface Webhook {
  readonly id: string;
  readonly origin: string;
  readonly events: string;
  readonly state: string;
  readonly disabled_because: string | null;
  readonly position: number;
  readonly delivered: number;
  readonly dead: number;
  readonly failures: number;
  readonly last_failure: string | null;
  readonly oldest_undelivered_at: string | null;
  readonly last_success_at: string | null;
  readonly failing_since: string | null;
  readonly disabled_at: string | null;
  readonly paused_until: string | null;
}

interface Stored {
  readonly bytes: number;
  readonly disk: { readonly bytes: number; readonly free: number } | null;
  readonly schema_version: number;
  readonly migration: string;
  readonly last_backup: { readonly at: string; readonly bytes: number } | null;
  readonly events: { readonly first: number; readonly last: number };
  readonly webhooks: readonly Webhook[];
  readonly webhooks_in_all: number;
  readonly clients: readonly Client[];
  readonly clients_in_all: number;
}

export interface Process {
  readonly process: number;
  readonly endings: number;
  readonly answers: boolean;
  readonly started_at: string | null;
  readonly memory_bytes: number | null;
  readonly loop_p99_seconds: number | null;
  readonly connections: number | null;
  readonly streams: number | null;
}

export interface Alert {
  readonly name: string;
  readonly severity: 'critical' | 'warning' | 'info';
  readonly state: 'ok' | 'pending' | 'firing';
  readonly for_seconds: number;
  readonly subjects: readonly { readonly about: string; readonly seconds: number }[];
  readonly advice: string | null;
}

/** The answer of `/console/data`. If no process answers, the parts that come from a process are missing. */
export interface Data {
  readonly at: string;
  readonly build: Readonly<Record<string, string>>;
  readonly health: {
    readonly status: string;
    readonly checks?: Readonly<Record<string, string>>;
    readonly database_fault?: string;
    readonly collections_fault?: string;
  };
  readonly providers?: readonly Provider[];
  readonly signing_keys?: readonly {
    readonly kid: string;
    readonly algorithm: string;
    readonly signs_from: string;
    readonly retires_at: string | null;
  }[];
  readonly collections?: readonly Collection[];
  readonly database?: {
    readonly engine: string;
    readonly value: Stored | null;
    readonly as_of: string | null;
    readonly fault: string | null;
  };
  readonly traffic: {
    readonly requests: readonly Line[];
    readonly latency: readonly Line[];
    readonly refusals: readonly Line[];
    readonly loop: readonly number[];
    readonly memory: readonly number[];
    readonly by_status: readonly Count[];
    readonly by_refusal: readonly Count[];
  };
  readonly sign_outs: Readonly<Record<string, number>>;
  readonly revocations: number | null;
  readonly signatures_waiting: number | null;
  readonly write_queue: {
    readonly length: number | null;
    readonly oldest_seconds: number | null;
    readonly records_per_second: number;
  };
  readonly sessions: {
    readonly in_use?: number;
    readonly limit: number | null;
    readonly waiting: number | null;
  };
  readonly machine: {
    readonly processes: readonly Process[];
    readonly wanted: number;
    readonly serving: number;
    readonly ended: number;
    readonly cpu: number;
  };
  readonly alerts: readonly Alert[];
  readonly alerts_elsewhere: readonly string[];
  readonly settings: readonly {
    readonly name: string;
    readonly value: string | null;
    readonly from: 'set' | 'default';
  }[];
}

const answerWithinMs = 5_000;

/** An answer of the ops port without data: 401 asks for the token. */
export class Refused extends Error {
  readonly status: number;

  constructor(status: number) {
    super(`status ${status}`);
    this.status = status;
  }
}

export async function load<T>(path: string, token: string): Promise<T> {
  const headers: HeadersInit = token === '' ? {} : { authorization: `Bearer ${token}` };
  const answer = await fetch(path, { headers, signal: AbortSignal.timeout(answerWithinMs) });
  if (!answer.ok) throw new Refused(answer.status);
  return answer.json();
}
