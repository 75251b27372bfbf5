import type { Keyring } from '../auth/keyring.ts';
import type { Clock, ConfirmedTime } from '../base/clock.ts';
import type { Log } from '../base/log.ts';
import type { Tracing } from '../base/tracing.ts';
import type { Config } from '../config/settings.ts';
import type { Metrics } from '../ops/metrics.ts';
import type { AuditLine, Storage } from '../storage/port.ts';

export interface BaseParts {
  readonly config: Config;
  /** The address of the service: the issuer of its tokens and the source of its events. */
  readonly issuer: string;
  readonly storage: Storage;
  readonly keyring: Keyring;
  readonly audit: AuditLine;
  readonly metrics: Metrics;
  /** Null without an OpenTelemetry SDK. */
  readonly tracing: Tracing | null;
  readonly clock: Clock;
  readonly time: ConfirmedTime;
  readonly log: Log;
}
