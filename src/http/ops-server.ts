import { createReceive } from './receive.ts';
import { createServer, type HttpServer, type ServerParts } from './server.ts';

/** The ops port: plain HTTP for the machine's own eyes, open until the very end, and not counted. */
const plainInternal = {
  tls: null,
  tracing: null,
  https: false,
  corsOrigins: [],
  refusals: null,
  receive: createReceive(() => false, null),
  isClosing: () => false,
  onRefusedConnection: () => {},
  observe: () => () => {},
  resourceMetadata: null,
  dpop: null,
  // None of its routes asks for a token.
  authenticate: () => {
    throw new Error('There are no callers on the ops port.');
  },
  checkStillIn: () => {},
  addressOf: () => '',
} satisfies Partial<ServerParts>;

type OpsServerParts = Pick<ServerParts, 'limits' | 'requestId' | 'isProxy' | 'routes'>;

/** Probes and Prometheus need few; the rest of the open files is for callers (see http/limits). */
const maxOpsConnections = 64;

export function createOpsServer({ limits, requestId, isProxy, routes }: OpsServerParts): HttpServer {
  const own = { ...limits, maxConnections: maxOpsConnections, maxConnectionsPerAddress: maxOpsConnections };
  return createServer({ ...plainInternal, limits: own, requestId, isProxy, routes });
}
