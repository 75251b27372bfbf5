/** Callers are programs: nothing may be framed, sniffed, cached or run. */
const nothingMayRun = "default-src 'none'; frame-ancestors 'none'";

interface Circumstances {
  readonly https: boolean;
  readonly personal: boolean;
  readonly cors: boolean;
  readonly contentPolicy?: string | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

export function fixedHeaders(circumstances: Circumstances): readonly string[] {
  const { https, personal, cors, contentPolicy, headers: own } = circumstances;
  const vary = [...(personal ? ['Authorization'] : []), ...(cors ? ['Origin'] : [])];
  const headers = {
    // First: an answer may change it, at `cacheControlAt`.
    'cache-control': personal ? 'private, no-store' : 'no-store',
    'x-content-type-options': 'nosniff',
    'content-security-policy': contentPolicy ?? nothingMayRun,
    ...(https ? { 'strict-transport-security': 'max-age=31536000; includeSubDomains' } : {}),
    ...(vary.length > 0 ? { vary: vary.join(', ') } : {}),
    ...own,
  };
  return Object.entries(headers).flat();
}

export const cacheControlAt = 1;
