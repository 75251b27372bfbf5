import { BlockList } from 'node:net';
import type { PublicHandler } from '../base/handler.ts';
import type { Limits } from './limits.ts';
import type { Route } from './routes.ts';
import { createServer, type HttpServer } from './server.ts';

type OpsHandlers = Readonly<Record<'live' | 'ready' | 'metrics', PublicHandler>>;

export function opsRoutes({ live, ready, metrics }: OpsHandlers): readonly Route[] {
  const get = (path: string, handle: PublicHandler): Route => {
    return { method: 'GET', path, access: 'ops', cors: false, handle, describe: null };
  };
  return [get('/livez', live), get('/readyz', ready), get('/metrics', metrics)];
}

/** Probes and Prometheus need few; the rest of the open files is for callers (see http/limits). */
const maxOpsConnections = 64;

/** The ops port: plain HTTP for this machine; its requests are not counted. */
export function createOpsServer(limits: Limits, handlers: OpsHandlers): HttpServer {
  return createServer({
    routes: opsRoutes(handlers),
    limits: { ...limits, maxConnections: maxOpsConnections, maxConnectionsPerAddress: maxOpsConnections },
    trustedProxies: new BlockList(),
    tls: null,
    tracing: null,
    corsOrigins: [],
    refusals: null,
    onRefusedConnection: () => {},
    observe: () => () => {},
    resourceMetadata: null,
    dpop: null,
    authenticate: () => {
      throw new Error('No route of the ops port takes a token.');
    },
    checkStillIn: () => {},
  });
}
