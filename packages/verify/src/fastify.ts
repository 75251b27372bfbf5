import { Buffer } from 'node:buffer';
import type { NodeRequest } from './authorization.ts';
import { type Caller, requireCaller, setCaller } from './caller.ts';
import { type Needs, readNeeds } from './needs.ts';
import { whenKnown } from './send.ts';
import type { Verifier } from './verifier.ts';

interface FastifyRequest {
  readonly raw: NodeRequest;
}

interface FastifyReply {
  code(status: number): FastifyReply;
  headers(headers: Record<string, string>): FastifyReply;
  send(body: Uint8Array): unknown;
}

/** `app.addHook('onRequest', protect(verifier))` for Fastify, or the `onRequest` of one route. */
export function protect(verifier: Pick<Verifier, 'check'>, needs?: Needs) {
  const asked = readNeeds(needs);
  return (request: FastifyRequest, reply: FastifyReply, done: () => void): void =>
    whenKnown(verifier.check(request.raw, asked), (verdict) => {
      if (!verdict.ok) {
        // Bytes, because Fastify adds a charset to JSON texts, and problem documents have none.
        reply
          .code(verdict.status)
          .headers({ ...verdict.headers })
          .send(Buffer.from(verdict.body));
        return;
      }
      setCaller(request, verdict.caller);
      done();
    });
}

/** The caller of a request that `protect` has admitted; it is `request.caller`, too. */
export function callerOf(request: FastifyRequest): Caller {
  return requireCaller((request as { caller?: unknown }).caller);
}
