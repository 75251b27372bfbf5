import {
  createServer as createHttpServer,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import type { BlockList, Socket } from 'node:net';
import { performance } from 'node:perf_hooks';
import { Refusal } from '../base/errors.ts';
import { createRequestId } from '../base/random.ts';
import type { Tracing } from '../base/tracing.ts';
import { BodyReader, UnsentAnswers } from './body.ts';
import type { RefusedConnection } from './connection-limit.ts';
import { Connections } from './connections.ts';
import { createEndpoint, type Endpoint, type EndpointParts, otherMethods } from './endpoint.ts';
import { fixedHeaders } from './headers.ts';
import { connectionLimits, serverOptions, sweepEveryMs } from './limits.ts';
import { brokenRequest, rawProblem } from './problem.ts';
import { isTrustedProxy, RequestContext } from './request-context.ts';
import { Responder } from './respond.ts';
import { noParams, type Params, Router } from './router.ts';
import type { Route } from './routes.ts';
import { Turns } from './turns.ts';

type OwnParts = 'bodies' | 'connections' | 'unsent' | 'https' | 'turns';

export interface ServerParts extends Omit<EndpointParts, OwnParts> {
  readonly routes: readonly Route[];
  readonly tls: { readonly cert: string; readonly key: string } | null;
  readonly onRefusedConnection: (reason: RefusedConnection) => void;
  /** Null without an OpenTelemetry SDK. */
  readonly tracing: Tracing | null;
}

export interface HttpServer {
  readonly server: Server;
  readonly connections: Connections;
}

interface Address {
  readonly endpoints: ReadonlyMap<string, Endpoint>;
  readonly others: Endpoint;
}

/** A server for a table of routes. The trip of a request: the router -> its endpoint -> its responder. */
export function createServer(serverParts: ServerParts): HttpServer {
  const { limits, tls, trustedProxies, onRefusedConnection, tracing } = serverParts;
  const isBehindProxy = trustedProxies.rules.length > 0;
  const connections = new Connections({
    ...connectionLimits(limits),
    trustedProxies,
    onRefused: onRefusedConnection,
  });
  const parts: EndpointParts = {
    ...serverParts,
    https: tls !== null || isBehindProxy,
    connections,
    bodies: new BodyReader(limits.maxBodyBytes),
    unsent: new UnsentAnswers(),
    turns: new Turns(),
  };
  const nowhere = new Responder(parts, { pattern: '(none)', personal: false, cors: null });
  const router = routerOf(serverParts.routes, parts);

  const answer = (request: IncomingMessage, response: ServerResponse, expectsContinue: boolean) => {
    const contextWith = (params: Params) =>
      new RequestContext(parts, request, response, createRequestId(), params, expectsContinue);
    let found: ReturnType<typeof router.find>;
    try {
      found = router.find(request.url ?? '');
    } catch (error) {
      return nowhere.refuse(contextWith(noParams), error);
    }
    const { endpoints, others } = found?.value ?? {};
    const endpoint = endpoints?.get(request.method ?? '') ?? others;
    const context = contextWith(found?.params ?? noParams);
    if (tracing === null) return serve(context, endpoint);
    const { id } = context;
    const { pattern: route } = endpoint?.responder ?? nowhere;
    const traceparent = context.header('traceparent');
    context.span = tracing.incoming({ method: request.method ?? '', route, id, traceparent });
    context.span.run(() => serve(context, endpoint));
  };

  const serve = (context: RequestContext, endpoint: Endpoint | undefined) => {
    try {
      if (connections.isClosing) throw new Refusal('shutting_down');
      checkHead(context.request);
      if (isBehindProxy) checkTransport(context.request, trustedProxies);
    } catch (error) {
      return (endpoint?.responder ?? nowhere).refuse(context, error);
    }
    if (endpoint === undefined) nowhere.refuse(context, new Refusal('not_found'));
    else endpoint.handle(context);
  };

  const options = serverOptions(limits);
  const server: Server =
    tls === null
      ? createHttpServer(options)
      : createHttpsServer({ ...options, ...tls, minVersion: 'TLSv1.2' });
  const take = (request: IncomingMessage, response: ServerResponse, expectsContinue = false) =>
    connections.begin(request.socket, response, () => answer(request, response, expectsContinue));
  server.on('request', (request, response) => take(request, response));
  server.on('checkContinue', (request, response) => take(request, response, true));
  // An expectation we do not know is no reason to refuse (RFC 9110 section 10.1.1).
  server.on('checkExpectation', (request, response) => take(request, response));

  const common = fixedHeaders({ https: parts.https, personal: false, cors: false });
  const breakOff = (socket: Socket, refusal: Refusal) => {
    if (!connections.isOpen(socket) || !socket.writable) return void socket.destroy();
    if (connections.breakOff(socket)) return;
    // Node has no listener on the socket any more, and the caller may be gone.
    socket.on('error', () => {});
    nowhere.observeBroken(refusal);
    socket.end(rawProblem(refusal, common), () => socket.destroy());
  };
  server.on('clientError', (error, socket) =>
    breakOff(socket as Socket, brokenRequest(error as NodeJS.ErrnoException)),
  );
  // CONNECT is not supported; without a listener Node would close the connection without an answer.
  server.on('connect', (_request, stream) => {
    const socket = stream as Socket;
    // Node has removed its listeners. An unfinished answer would never time out, and a reset would end the process.
    if (connections.breakOff(socket)) socket.destroy();
    else breakOff(socket, new Refusal('bad_request'));
  });

  server.on('connection', (socket: Socket) => connections.accept(socket));
  server.on(tls === null ? 'connection' : 'secureConnection', (socket: Socket) => connections.open(socket));
  const sweep = setInterval(() => connections.sweep(performance.now()), sweepEveryMs).unref();
  server.once('close', () => clearInterval(sweep));
  return { server, connections };
}

function routerOf(routes: readonly Route[], parts: EndpointParts): Router<Address> {
  const addresses = new Map<string, Address>();
  for (const [path, atPath] of Map.groupBy(routes, (route) => route.path)) {
    const endpoints = new Map(atPath.map((route) => [String(route.method), createEndpoint(route, parts)]));
    const get = endpoints.get('GET');
    if (get !== undefined) endpoints.set('HEAD', get);
    addresses.set(path, { endpoints, others: otherMethods(path, atPath, parts) });
  }
  return new Router(addresses);
}

/** Checks that RFC 9112 requires and Node omits: a supported version, and one Host. */
function checkHead({ httpVersionMajor, httpVersionMinor, headers }: IncomingMessage): void {
  if (httpVersionMajor !== 1) throw new Refusal('bad_request', { detail: 'HTTP version' });
  // Two Host headers arrive joined by a comma (see http/limits).
  const hasOneHost = headers.host !== undefined && !headers.host.includes(',');
  if (!hasOneHost && httpVersionMinor > 0) throw new Refusal('bad_request', { detail: 'Host header' });
}

/** Accepts HTTPS only: by TLS here or at a trusted proxy. Without proxies and TLS the service listens on loopback alone (`config`). */
function checkTransport({ socket, headers }: IncomingMessage, trustedProxies: BlockList): void {
  if ('encrypted' in socket) return;
  if (!isTrustedProxy(trustedProxies, socket.remoteAddress))
    throw new Refusal('https_required', { detail: 'the peer is not a trusted proxy' });
  const forwardedProto = headers['x-forwarded-proto'] as string | undefined;
  // Every hop that a chain of proxies reports must have been https.
  const allHttps = forwardedProto?.split(',').every((hop) => hop.trim().toLowerCase() === 'https');
  if (!allHttps) throw new Refusal('https_required', { detail: 'X-Forwarded-Proto is not "https"' });
}
