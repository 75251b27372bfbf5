import { BlockList } from 'node:net';
import { contentPolicy, pageHeaders } from '../base/content-policy.ts';
import type { PublicHandler } from '../base/handler.ts';
import type { Limits } from './limits.ts';
import type { Route } from './routes.ts';
import { createServer, type HttpServer } from './server.ts';

export interface OpsHandlers extends Readonly<Record<'live' | 'ready' | 'metrics', PublicHandler>> {
  /** By path; empty where the console is off. */
  readonly console: Readonly<Record<string, PublicHandler>>;
}

/** Nothing of another origin, neither in the page nor around it. No route of the ops port has CORS. */
const consolePage = {
  contentPolicy: contentPolicy("connect-src 'self'", "img-src 'self'"),
  headers: { ...pageHeaders, 'cross-origin-resource-policy': 'same-origin' },
};

export function opsRoutes({ live, ready, metrics, console }: OpsHandlers): readonly Route[] {
  const get = (path: string, handle: PublicHandler): Route => {
    return { method: 'GET', path, access: 'ops', cors: false, handle, describe: null };
  };
  return [
    get('/livez', live),
    get('/readyz', ready),
    get('/metrics', metrics),
    ...Object.entries(console).map(([path, handle]) => ({ ...get(path, handle), ...consolePage })),
  ];
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
    checkAgain: () => {},
  });
}
