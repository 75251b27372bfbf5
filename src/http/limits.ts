/** Sizes and times that every request is held to. */
export interface Limits {
  readonly maxHeaderBytes: number;
  readonly maxBodyBytes: number;
  readonly maxConnections: number;
  readonly maxConnectionsPerAddress: number;
  readonly headersTimeoutSeconds: number;
  readonly requestTimeoutSeconds: number;
  readonly keepAliveSeconds: number;
}

/** How often connections that are past their time are looked for. */
export const checkEveryMs = 1_000;

/** How long a request may wait behind others of its connection: a caller who has waited for longer may be gone. */
export const longestPipelinedMs = 1_000;

/** A caller that takes nothing of its answer gets this much longer than one that does not finish its request. */
const stalledSeconds = 5;

/** How many connections there may be, and how long they may do nothing; see http/connections. */
export function connectionLimits(limits: Limits) {
  return {
    mostInAll: limits.maxConnections,
    mostOfAddress: limits.maxConnectionsPerAddress,
    idleMs: limits.keepAliveSeconds * 1000,
    stalledMs: (limits.requestTimeoutSeconds + stalledSeconds) * 1000,
  };
}

/** The limits as options of Node's server. */
export function serverOptions(limits: Limits) {
  return {
    maxHeaderSize: limits.maxHeaderBytes,
    // Node wants it no longer than the whole.
    headersTimeout: Math.min(limits.headersTimeoutSeconds, limits.requestTimeoutSeconds) * 1000,
    handshakeTimeout: limits.headersTimeoutSeconds * 1000,
    requestTimeout: limits.requestTimeoutSeconds * 1000,
    // See http/connections, which does that instead.
    keepAliveTimeout: 0,
    connectionsCheckingInterval: checkEveryMs,
    // A header sent twice becomes one with a comma in it. By default Node would silently keep the first
    // Authorization or Content-Type and drop the other, and a proxy in front might have judged that other one.
    joinDuplicateHeaders: true,
    // Node's own refusal would not be a problem document; see http/receive.
    requireHostHeader: false,
    // A request without a body needs no stream for one.
    optimizeEmptyRequests: true,
  };
}
