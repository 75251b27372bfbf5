import assert from 'node:assert/strict';
import { BlockList } from 'node:net';
import type { ServerParts } from '../../../src/http/server.ts';

/** A server of http/server without callers; a test adds `routes` and `observe`. */
export const bareServer: Omit<ServerParts, 'routes' | 'observe'> = {
  limits: {
    maxBodyBytes: 65_536,
    maxConnections: 100,
    maxConnectionsPerAddress: 100,
    requestTimeoutSeconds: 30,
    keepAliveSeconds: 10,
  },
  tls: null,
  tracing: null,
  corsOrigins: [],
  refusals: null,
  trustedProxies: new BlockList(),
  onRefusedConnection: () => {},
  resourceMetadata: null,
  dpop: null,
  authenticate: () => assert.fail('no route here asks for a token'),
  checkAgain: () => {},
};
