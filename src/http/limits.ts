/** Sizes and times that every request is held to. */
export interface Limits {
  readonly maxHeaderBytes: number;
  readonly maxBodyBytes: number;
  readonly maxConnections: number;
  readonly headersTimeoutSeconds: number;
  readonly requestTimeoutSeconds: number;
  readonly keepAliveSeconds: number;
}

/** How often the platform looks for connections that are past their time. */
const checkEveryMs = 1_000;

/** The limits as options of the platform's server. */
export function serverOptions(limits: Limits) {
  return {
    maxHeaderSize: limits.maxHeaderBytes,
    headersTimeout: limits.headersTimeoutSeconds * 1000,
    handshakeTimeout: limits.headersTimeoutSeconds * 1000,
    requestTimeout: limits.requestTimeoutSeconds * 1000,
    keepAliveTimeout: limits.keepAliveSeconds * 1000,
    connectionsCheckingInterval: checkEveryMs,
    // A header sent twice becomes one with a comma in it. By default the platform would silently keep the first
    // Authorization or Content-Type and drop the other, and a proxy in front might have judged that other one.
    joinDuplicateHeaders: true,
    // The platform's own refusal would not be a problem document; see http/receive.
    requireHostHeader: false,
    // A request without a body needs no stream for one.
    optimizeEmptyRequests: true,
  };
}
