import type { Authenticate, CheckStanding } from '../auth/authenticate.ts';
import type { Caller, VerifiedToken } from '../base/caller.ts';
import { Refusal } from '../base/errors.ts';
import { type Answer, answer as answerOf, type NowOrLater, whenReady } from '../base/handler.ts';
import type { BodyReader } from './body.ts';
import { corsHeaders } from './headers.ts';
import type { RequestContext } from './request-context.ts';
import { Responder, type ResponderParts } from './respond.ts';
import type { Route } from './routes.ts';

export interface EndpointParts extends ResponderParts {
  readonly corsOrigins: readonly string[];
  readonly authenticate: Authenticate<Caller, RequestContext>;
  /** Checks expiry and standing again. Throws or rejects. */
  readonly checkAgain: CheckStanding;
  readonly bodies: BodyReader;
}

export interface Endpoint {
  /** Never throws. */
  handle(context: RequestContext): void;
  readonly responder: Responder;
}

type Run = (leave: () => void, hasWaited: boolean) => NowOrLater<Answer>;

const bodyMethods: ReadonlySet<string> = new Set(['POST', 'PUT', 'PATCH']);

/** The trip of a request through its route: who calls -> the body -> the handler -> the answer. */
export function createEndpoint(route: Route, parts: EndpointParts): Endpoint {
  const { authenticate, checkAgain, corsOrigins, bodies, connections, turns } = parts;
  const takesBody = bodyMethods.has(route.method);
  const responder = new Responder(parts, {
    pattern: route.path,
    personal: route.access === 'bearer',
    sendsNonce: route.sendsNonce ?? (route.access === 'bearer' || route.access === 'client_credentials'),
    countsRefusals: route.access === 'bearer' || route.access === 'signed',
    cors: route.cors && corsOrigins.length > 0 ? corsHeaders(corsOrigins) : null,
    contentPolicy: route.contentPolicy,
    headers: route.headers,
  });

  const handleRoute = (context: RequestContext, token: VerifiedToken | null) =>
    route.access === 'bearer'
      ? route.handle(context, (token as VerifiedToken).caller, token as VerifiedToken)
      : route.handle(context);
  // A write waits for a commit in the write queue, where callers take turns again.
  const keepsPlace = route.method === 'GET' || route.access === 'client_credentials';

  const takeTurn = (context: RequestContext, key: string, run: Run) =>
    turns.take({ key, run, hasHungUp: () => context.hasHungUp() });

  // Public answers come from memory.
  const takesTurns = route.access !== 'ops' && route.access !== 'public';

  /** Requests take turns by caller, or by address. Probes and metrics do not wait. */
  const call = (context: RequestContext, token: VerifiedToken | null): NowOrLater<Answer> => {
    if (!takesTurns) return handleRoute(context, token);
    context.turnKey = keyOf(context, token);
    return takeTurn(context, context.turnKey, (leave, hasWaited) => {
      context.leavePlace = leave;
      // Expiry and suspension can change during the wait.
      const checked = token !== null && hasWaited ? checkAgain(token) : undefined;
      const answer = whenReady(checked, () => handleRoute(context, token));
      if (!keepsPlace) leave();
      return answer;
    });
  };

  const withoutBody = (context: RequestContext, token: VerifiedToken | null) => {
    route.admit?.(token?.caller ?? null);
    return call(context, token);
  };

  const answerTo = (context: RequestContext): NowOrLater<Answer> => {
    const token = route.access === 'bearer' ? authenticate(context.authorization, context) : null;
    if (takesBody && context.hasBody) return withBody(context, token);
    // A cached token is there without a promise.
    if (token instanceof Promise) return token.then((known) => withoutBody(context, known));
    return withoutBody(context, token);
  };

  /** The body is read once the caller is known. */
  const withBody = async (context: RequestContext, token: NowOrLater<VerifiedToken | null>) => {
    const known = await token;
    route.admit?.(known?.caller ?? null);
    const receive = () => receiveBody(context, known);
    if (!bodies.isLarge(context.request, route.maxBodyBytes)) return receive();
    // A few large bodies of a caller are received at once. The others stay in their sockets.
    return takeTurn(context, `bodies of ${keyOf(context, known)}`, receive);
  };

  const receiveBody = async (context: RequestContext, known: VerifiedToken | null) => {
    const caller = known?.caller.id ?? null;
    const body = bodies.read(context.request, caller, context.address, route.maxBodyBytes);
    try {
      if (context.expectsContinue) {
        context.response.writeContinue();
        context.hasContinued = true;
      }
      context.body = await body.bytes;
      // A body may take half a minute. Expiry and suspension can change meanwhile: check them again.
      if (known !== null) await checkAgain(known);
      // More came in than the request has announced, and nothing has begun yet.
      if (!context.response.shouldKeepAlive && connections.isBroken(context.request.socket))
        throw new Refusal('bad_request', { detail: 'the body is longer than announced' });
      return await call(context, known);
    } finally {
      body.release();
    }
  };

  const handle: Endpoint['handle'] = (context) => {
    try {
      const answer = answerTo(context);
      if (!(answer instanceof Promise)) responder.send(context, answer);
      else {
        answer.then(
          (ready) => responder.send(context, ready),
          (error) => responder.refuse(context, error),
        );
      }
    } catch (error) {
      responder.refuse(context, error);
    }
  };
  return { handle, responder };
}

/** A token without a subject has no caller id. */
function keyOf(context: RequestContext, token: VerifiedToken | null): string {
  return token?.caller.id ?? context.address;
}

/** Every other method at a known address: a preflight where scripts may call, else 405. */
export function otherMethods(path: string, routes: readonly Route[], parts: EndpointParts): Endpoint {
  const methods = routes.flatMap(({ method }) => (method === 'GET' ? ['GET', 'HEAD'] : [method]));
  const scriptable = parts.corsOrigins.length > 0 && routes.some(({ cors }) => cors);
  const allow = scriptable ? [...methods, 'OPTIONS'] : methods;
  const cors = scriptable ? corsHeaders(parts.corsOrigins, methods) : null;
  const responder = new Responder(parts, { pattern: path, personal: false, cors });
  const preflight = answerOf(null, '', { status: 204, headers: { allow: allow.join(', ') } });
  return {
    responder,
    handle(context) {
      if (scriptable && context.request.method === 'OPTIONS') responder.send(context, preflight);
      else responder.refuse(context, new Refusal('method_not_allowed', { allow }));
    },
  };
}
