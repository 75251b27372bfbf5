import type { Refusal } from '../base/errors.ts';
import type { Log } from '../base/log.ts';
import { errorFields } from '../base/plain-log.ts';
import type { Metrics } from '../ops/metrics.ts';
import type { OutageLog } from '../ops/outage-log.ts';

/** Hears of every finished request; by position, because an object for each of them would cost more than the counting. */
export type Observe = (
  method: string,
  status: number,
  milliseconds: number,
  requestId: string,
  refusal: Refusal | null,
  traceId: string | null,
) => void;

/**
 * One line and one set of measurements for each request. The route's pattern stands for the address, and nothing
 * that a caller chose is written down but the id of its trace, which is 32 hexadecimal digits: no URL, query, address,
 * user agent, token or claim. That requests cannot be served is for `ops/outage-log` to warn of.
 */
export function createObserve(log: Log, metrics: Metrics, outages: OutageLog): (route: string) => Observe {
  return (route) => {
    const meter = metrics.meter(route);
    const routeLog = log.child({ route });
    const logsAll = log.isLevelEnabled('info');
    return (method, status, milliseconds, requestId, refusal, traceId) => {
      meter(method, status, milliseconds / 1000, refusal?.code ?? null);
      if (refusal !== null) outages.note(refusal);
      const level = refusal?.code === 'internal' ? 'error' : 'info';
      if (level === 'info' && !logsAll) return;
      const duration = Math.round(milliseconds * 100) / 100;
      const plain = { method, status, duration_ms: duration, request_id: requestId };
      const line = traceId === null ? plain : { ...plain, trace_id: traceId };
      routeLog[level](refusal === null ? line : { ...line, ...refusalFields(refusal) }, 'request');
    };
  };
}

function refusalFields({ code, options }: Refusal): Record<string, unknown> {
  return {
    code,
    ...(options.detail === undefined ? {} : { detail: options.detail }),
    ...(code === 'internal' ? errorFields(options.cause) : {}),
  };
}
