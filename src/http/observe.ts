import type { FastifyReply, FastifyRequest } from 'fastify';
import { describe } from '../base/errors.ts';
import { errorFields, type Log } from '../base/log.ts';
import type { Metrics } from '../ops/metrics.ts';

export type Observe = (request: FastifyRequest, reply: FastifyReply) => void;

/**
 * One line and one set of measurements for each request. The route's pattern stands for the address, and nothing
 * that a caller chose is written down: no URL, query, address, user agent, token or claim.
 */
export function createObserve(log: Log, metrics: Metrics): Observe {
  return (request, reply) => {
    const { method } = request.raw;
    const route = request.routeOptions?.url ?? '(none)';
    const status = reply.statusCode;
    const milliseconds = reply.elapsedTime;
    const code = reply.refusal?.code ?? null;
    metrics.observe({ method: method ?? '', route, status, seconds: milliseconds / 1000, code });
    log.info(
      {
        method,
        route,
        status,
        duration_ms: Math.round(milliseconds * 100) / 100,
        request_id: request.id,
        ...(code === null ? {} : { code }),
        ...(reply.refusal?.options.detail === undefined ? {} : { detail: reply.refusal.options.detail }),
      },
      'request',
    );
    if (reply.refusal !== null && describe(reply.refusal.code).status >= 500) {
      log.error(
        { request_id: request.id, code, ...errorFields(reply.refusal.options.cause) },
        'request failed',
      );
    }
  };
}
