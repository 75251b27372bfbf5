export interface Limits {
  readonly maxBodyBytes: number;
  readonly maxConnections: number;
  readonly maxConnectionsPerAddress: number;
  readonly requestTimeoutSeconds: number;
  readonly keepAliveSeconds: number;
}

/** The request line and headers together (431 past that). */
export const maxHeaderBytes = 16_384;

/** How long a client may take to send its headers, where REQUEST_TIMEOUT_SECONDS is not shorter (408 past that). */
const headersTimeoutSeconds = 10;

/** How long requests in flight may take to finish when the process stops. Past that they are cut off. */
export const shutdownSeconds = 10;

export const sweepEveryMs = 1_000;

/** How much longer than a slow request a caller may take nothing of its answer. */
const stalledSeconds = 5;
/** Node answers 408 first; this much later the connection is destroyed, whatever state it is in. */
const graceSeconds = 3;

export function connectionLimits(limits: Limits) {
  return {
    maxConnections: limits.maxConnections,
    maxPerAddress: limits.maxConnectionsPerAddress,
    openingMs: (headersSeconds(limits) + graceSeconds) * 1000,
    receivingMs: (limits.requestTimeoutSeconds + graceSeconds) * 1000,
    idleMs: limits.keepAliveSeconds * 1000,
    stalledMs: (limits.requestTimeoutSeconds + stalledSeconds) * 1000,
  };
}

function headersSeconds({ requestTimeoutSeconds }: Limits): number {
  return Math.min(headersTimeoutSeconds, requestTimeoutSeconds);
}

/** Kept for the database, the provider, webhooks, logs and the ops port. */
const reservedFiles = 128;

/** No more connections than files that can be open: past that the system resets connections, also of the ops port. */
export function withinOpenFiles<Given extends Limits>(limits: Given, openFiles: number): Given {
  const room = Math.max(openFiles - reservedFiles, Math.floor(openFiles / 4));
  return room >= limits.maxConnections ? limits : { ...limits, maxConnections: room };
}

export function serverOptions(limits: Limits) {
  return {
    maxHeaderSize: maxHeaderBytes,
    headersTimeout: headersSeconds(limits) * 1000,
    handshakeTimeout: headersSeconds(limits) * 1000,
    requestTimeout: limits.requestTimeoutSeconds * 1000,
    // The sweep of http/connections does that.
    keepAliveTimeout: 0,
    connectionsCheckingInterval: sweepEveryMs,
    // By default Node keeps the first of two Authorization headers, and a proxy in front may have judged the other.
    joinDuplicateHeaders: true,
    // Node's own refusal would not be a problem document; see http/server.
    requireHostHeader: false,
    // A request without a body needs no stream for one.
    optimizeEmptyRequests: true,
  };
}
