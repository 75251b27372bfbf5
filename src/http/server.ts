import { createServer as createHttpServer, METHODS } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { Refusal } from '../base/errors.ts';
import type { Answer } from '../base/handler.ts';
import type { Principal } from '../base/principal.ts';
import { createCors } from './cors.ts';
import { checkHead } from './head.ts';
import { fixedHeaders } from './headers.ts';
import { type Limits, serverOptions } from './limits.ts';
import type { Observe } from './observe.ts';
import { brokenRequest, rawProblem, toProblem, toRefusal } from './problem.ts';
import type { Route } from './routes.ts';
import type { CheckTransport } from './transport.ts';

export interface ServerParts {
  readonly routes: readonly Route[];
  readonly limits: Limits;
  readonly tls: { readonly cert: string; readonly key: string } | null;
  /** Callers come over HTTPS, whoever ends it. */
  readonly https: boolean;
  readonly corsOrigins: readonly string[];
  readonly checkTransport: CheckTransport;
  readonly authenticate: (authorization: string | undefined) => Promise<Principal>;
  readonly isStopping: () => boolean;
  readonly requestId: () => string;
  readonly observe: Observe;
}

declare module 'fastify' {
  interface FastifyReply {
    /** Set when the answer is a refusal, for the log and the metrics. */
    refusal: Refusal | null;
  }
}

/** A server for a table of routes. The trip of a request: receive -> route's handler -> send; refuse on any error. */
export function createServer(parts: ServerParts): FastifyInstance {
  const { limits, tls, https, observe } = parts;
  const options = serverOptions(limits);
  const common = fixedHeaders({ https, personal: false, cors: false });
  const server = Fastify({
    serverFactory: (handler) =>
      tls === null
        ? createHttpServer(options, handler)
        : createHttpsServer({ ...options, ...tls, minVersion: 'TLSv1.2' }, handler),
    bodyLimit: limits.maxBodyBytes,
    genReqId: parts.requestId,
    forceCloseConnections: 'idle',
    // Ours is a problem document like any other; see receive().
    return503OnClosing: false,
    // An address that cannot be read reaches no route and no hook.
    frameworkErrors(error, request, reply) {
      reply.headers(common).header('x-request-id', request.id);
      refuse(error, reply);
      observe(request, reply);
    },
    clientErrorHandler(error, socket) {
      if (socket.writable) socket.end(rawProblem(brokenRequest(error), common));
      else socket.destroy();
    },
  });
  server.server.maxConnections = limits.maxConnections;
  // A tunnel is not to be had here; the platform would hang up without a word.
  server.server.on('connect', (_request, socket) =>
    socket.end(rawProblem(new Refusal('bad_request'), common)),
  );
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

  server.decorateReply('refusal', null);
  server.addHook('onRequest', (request, reply, done) => {
    reply.headers(common).header('x-request-id', request.id);
    receive(parts, request);
    done();
  });
  server.addHook('onResponse', (request, reply, done) => {
    observe(request, reply);
    done();
  });
  server.setErrorHandler((error, _request, reply) => refuse(error, reply));
  server.setNotFoundHandler((_request, reply) => refuse(new Refusal('not_found'), reply));
  for (const route of parts.routes) addRoute(server, route, parts);
  for (const [path, routes] of Map.groupBy(parts.routes, ({ path }) => path))
    addOtherMethods(server, path, routes, parts);
  return server;
}

/** Before anything of a request is looked at: are we open, and did it come in the right way? */
function receive({ isStopping, checkTransport }: ServerParts, { raw, headers }: FastifyRequest): void {
  if (isStopping()) throw new Refusal('shutting_down');
  checkHead(raw);
  checkTransport({
    peerAddress: raw.socket.remoteAddress,
    isEncrypted: 'encrypted' in raw.socket,
    forwardedProto: headers['x-forwarded-proto'] as string | undefined,
  });
}

function addRoute(server: FastifyInstance, route: Route, parts: ServerParts): void {
  const cors = route.cors ? createCors(parts.corsOrigins).answer : null;
  const fixed = fixedHeaders({
    https: parts.https,
    personal: route.access === 'bearer',
    cors: route.cors && parts.corsOrigins.length > 0,
  });
  server.route({
    method: route.method,
    url: route.path,
    errorHandler: (error, _request, reply) => refuse(error, reply, route),
    onRequest(request, reply, done) {
      reply.headers(fixed);
      if (cors !== null) reply.headers(cors(request.headers.origin));
      done();
    },
    async handler(request, reply) {
      const input = {
        contentType: request.headers['content-type'],
        body: request.body as Uint8Array | undefined,
      };
      const answer =
        route.access === 'bearer'
          ? await route.handle(input, await parts.authenticate(request.headers.authorization))
          : await route.handle(input);
      return send(answer, reply);
    },
  });
}

/** Every other method at a known address: a preflight where scripts may call, else 405. */
function addOtherMethods(
  server: FastifyInstance,
  path: string,
  routes: readonly Route[],
  parts: ServerParts,
): void {
  const methods = routes.flatMap(({ method }) => (method === 'GET' ? ['GET', 'HEAD'] : [method]));
  const scriptable = parts.corsOrigins.length > 0 && routes.some(({ cors }) => cors);
  const allow = scriptable ? [...methods, 'OPTIONS'] : methods;
  const preflight = createCors(parts.corsOrigins).preflight(methods);
  server.route({
    method: METHODS.filter((method) => !methods.includes(method)),
    url: path,
    onRequest(request, _reply, done) {
      // Before a body is read, since nobody will look at it.
      if (!scriptable || request.method !== 'OPTIONS') throw new Refusal('method_not_allowed', { allow });
      done();
    },
    handler(request, reply) {
      const headers = { allow: allow.join(', '), vary: 'Origin', ...preflight(request.headers.origin) };
      return reply.code(204).headers(headers).send();
    },
  });
}

function send({ status, body, contentType, headers }: Answer, reply: FastifyReply): FastifyReply {
  return reply
    .code(status)
    .headers({ 'content-type': contentType ?? 'application/json', ...headers })
    .send(bytes(contentType === undefined ? JSON.stringify(body) : String(body)));
}

function refuse(error: unknown, reply: FastifyReply, route?: Route): void {
  let refusal = toRefusal(error);
  if (refusal.code === 'media_type_not_supported' && route?.unreadableBody !== undefined) {
    refusal = new Refusal(route.unreadableBody, { cause: error });
  }
  reply.refusal = refusal;
  const { status, headers, body } = toProblem(refusal);
  // The rest of a body that nobody will read, or a process that is about to go: the connection ends here.
  if (status === 413 || refusal.code === 'shutting_down') reply.header('connection', 'close');
  reply.code(status).headers(headers).send(bytes(body));
}

/** As bytes, because the library would add a charset to the type of a text, and JSON has none. */
function bytes(text: string): Buffer {
  return Buffer.from(text);
}
