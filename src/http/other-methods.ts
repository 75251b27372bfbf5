import { Refusal } from '../base/errors.ts';
import { answer } from '../base/handler.ts';
import { createCors } from './cors.ts';
import type { Endpoint, EndpointParts } from './endpoint.ts';
import { Responder } from './respond.ts';
import type { Route } from './routes.ts';

/** Every other method at a known address: a preflight where scripts may call, else 405. */
export function otherMethods(path: string, routes: readonly Route[], parts: EndpointParts): Endpoint {
  const methods = routes.flatMap(({ method }) => (method === 'GET' ? ['GET', 'HEAD'] : [method]));
  const scriptable = parts.corsOrigins.length > 0 && routes.some(({ cors }) => cors);
  const allow = scriptable ? [...methods, 'OPTIONS'] : methods;
  const cors = scriptable ? createCors(parts.corsOrigins).preflight(methods) : null;
  const responder = new Responder(parts, { pattern: path, personal: false, cors });
  const preflight = answer(null, '', { status: 204, headers: { allow: allow.join(', ') } });
  return {
    responder,
    handle(context) {
      if (scriptable && context.request.method === 'OPTIONS') responder.send(context, preflight);
      else responder.refuse(context, new Refusal('method_not_allowed', { allow }));
    },
  };
}
