import {
  createServer as createHttpServer,
  type IncomingMessage,
  METHODS,
  type RequestListener,
  type ServerResponse,
} from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { performance } from 'node:perf_hooks';
import { type Duplex, Readable } from 'node:stream';
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { Refusal } from '../base/errors.ts';
import { answer } from '../base/handler.ts';
import type { Authenticate } from './authenticate.ts';
import { ConnectionWatch } from './connection-watch.ts';
import { createCors } from './cors.ts';
import { createEntrance, type Entrance } from './entrance.ts';
import { Exit, type ExitParts } from './exit.ts';
import { fixedHeaders } from './headers.ts';
import { checkEveryMs, patience, serverOptions } from './limits.ts';
import { brokenRequest, rawProblem } from './problem.ts';
import type { Receive } from './receive.ts';
import { letRouterCompile } from './router-code.ts';
import type { Route } from './routes.ts';
import { Visit } from './visit.ts';

export interface ServerParts extends ExitParts {
  readonly routes: readonly Route[];
  readonly tls: { readonly cert: string; readonly key: string } | null;
  readonly corsOrigins: readonly string[];
  readonly receive: Receive;
  readonly authenticate: Authenticate;
  readonly requestId: () => string;
}

declare module 'fastify' {
  interface FastifyRequest {
    /** On the platform's monotonic clock, in milliseconds. */
    startedAt: number;
  }
}

/** A server for a table of routes. The trip of a request: receive -> a route's entrance -> its exit. */
export function createServer(parts: ServerParts): FastifyInstance {
  const { limits, tls, receive, requestId } = parts;
  const options = serverOptions(limits);
  const common = fixedHeaders({ https: parts.https, personal: false, cors: false });
  const nowhere = new Exit(parts, { pattern: '(none)', personal: false, cors: null });
  const shortcuts = new Map<string | undefined, Entrance>();
  const watch = new ConnectionWatch(patience(limits));
  /** An answer where there is no request to answer: at once, and then the connection is gone. */
  const breakOff = (socket: Duplex, refusal: Refusal) => {
    // Nobody else listens any more, and whoever asked may be gone.
    socket.on('error', () => {});
    nowhere.observeBroken(refusal);
    if (socket.writable) socket.end(rawProblem(refusal, common), () => socket.destroy());
    else socket.destroy();
  };
  /** From here on the answer is ours to send. */
  const visitOf = (request: FastifyRequest, reply: FastifyReply) => {
    reply.hijack();
    const body = request.body as Uint8Array | undefined;
    const params = request.params as Record<string, string> | undefined;
    return new Visit(parts, request.raw, reply.raw, request.id, request.startedAt, body, params);
  };
  /** A plain GET of a known address needs neither a router nor a body parser; all else goes through the library. */
  const shortcut = (library: RequestListener) => (request: IncomingMessage, response: ServerResponse) => {
    const { method, url, socket } = request;
    watch.note(socket, response);
    const entrance = method === 'GET' ? shortcuts.get(url) : undefined;
    if (entrance === undefined) return library(request, response);
    const visit = new Visit(parts, request, response, requestId());
    try {
      receive(request);
    } catch (error) {
      return entrance.exit.refuse(visit, error);
    }
    entrance.enter(visit);
  };
  letRouterCompile();
  const server = Fastify({
    serverFactory: (library) =>
      tls === null
        ? createHttpServer(options, shortcut(library as RequestListener))
        : createHttpsServer(
            { ...options, ...tls, minVersion: 'TLSv1.2' },
            shortcut(library as RequestListener),
          ),
    bodyLimit: limits.maxBodyBytes,
    genReqId: requestId,
    forceCloseConnections: 'idle',
    // Ours is a problem document like any other; see http/receive.
    return503OnClosing: false,
    // An address that cannot be read reaches no route and no hook.
    frameworkErrors(error, request, reply) {
      request.startedAt = performance.now();
      nowhere.refuse(visitOf(request, reply), error);
    },
    clientErrorHandler: (error, socket) => breakOff(socket, brokenRequest(error)),
  });
  server.server.maxConnections = limits.maxConnections;
  const lookout = setInterval(() => watch.look(performance.now()), checkEveryMs).unref();
  server.server.once('close', () => clearInterval(lookout));
  // A tunnel is not to be had here; the platform would hang up without a word.
  server.server.on('connect', (_request, socket) => breakOff(socket, new Refusal('bad_request')));
  // An expectation we do not know is no reason to refuse (RFC 9110 section 10.1.1).
  server.server.on('checkExpectation', (request, response) =>
    server.server.emit('request', request, response),
  );
  // The library knows a few methods and would call an address "not found" for the others.
  const knownMethods = new Set(server.supportedMethods);
  for (const method of METHODS) if (!knownMethods.has(method)) server.addHttpMethod(method);

  // Bodies reach the handlers as bytes: what they mean is the route's own business.
  server.removeAllContentTypeParsers();
  server.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));

  // The library waits for the end of a body that has been announced by its type and that the platform knows to be
  // none (see http/limits); it gets one that ends.
  server.addHook('preParsing', (_request, _reply, payload, done) =>
    done(null, payload.readable ? payload : Readable.from([])),
  );

  server.decorateRequest('startedAt', 0);
  server.addHook('onRequest', (request, _reply, done) => {
    request.startedAt = performance.now();
    receive(request.raw);
    done();
  });
  server.setErrorHandler((error, request, reply) => nowhere.refuse(visitOf(request, reply), error));
  server.setNotFoundHandler((request, reply) =>
    nowhere.refuse(visitOf(request, reply), new Refusal('not_found')),
  );
  for (const route of parts.routes) {
    const entrance = createEntrance(route, parts);
    if (route.method === 'GET' && !route.path.includes(':')) shortcuts.set(route.path, entrance);
    server.route({
      method: route.method,
      url: route.path,
      errorHandler: (error, request, reply) => entrance.exit.refuse(visitOf(request, reply), error),
      handler: (request, reply) => entrance.enter(visitOf(request, reply)),
    });
  }
  for (const [path, routes] of Map.groupBy(parts.routes, ({ path }) => path)) {
    addOtherMethods(server, path, routes, parts, visitOf);
  }
  return server;
}

/** Every other method at a known address: a preflight where scripts may call, else 405. */
function addOtherMethods(
  server: FastifyInstance,
  path: string,
  routes: readonly Route[],
  parts: ServerParts,
  visitOf: (request: FastifyRequest, reply: FastifyReply) => Visit,
): void {
  const methods = routes.flatMap(({ method }) => (method === 'GET' ? ['GET', 'HEAD'] : [method]));
  const scriptable = parts.corsOrigins.length > 0 && routes.some(({ cors }) => cors);
  const allow = scriptable ? [...methods, 'OPTIONS'] : methods;
  const cors = scriptable ? createCors(parts.corsOrigins).preflight(methods) : null;
  const exit = new Exit(parts, { pattern: path, personal: false, cors });
  const preflight = answer(null, '', { status: 204, headers: { allow: allow.join(', ') } });
  server.route({
    method: METHODS.filter((method) => !methods.includes(method)),
    url: path,
    errorHandler: (error, request, reply) => exit.refuse(visitOf(request, reply), error),
    onRequest(request, _reply, done) {
      // Before a body is read, since nobody will look at it.
      if (!scriptable || request.method !== 'OPTIONS') throw new Refusal('method_not_allowed', { allow });
      done();
    },
    handler: (request, reply) => exit.send(visitOf(request, reply), preflight),
  });
}
