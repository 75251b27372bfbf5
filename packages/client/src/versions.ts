const etags = new WeakMap<object, string>();

/** The version of a record that a call or a batch has answered with. Records of lists have none. */
export function etagOf(record: object): string | undefined {
  return etags.get(record);
}

/** The record that an answer brings; none with 204. */
export async function readRecord(answer: Response) {
  const record = (answer.status === 204 ? {} : await answer.json()) as Record<string, unknown>;
  return withVersion(record, versionIn(answer.headers));
}

/** A proxy that compresses calls an ETag weak (`W/`), and with If-Match a weak one fits nothing; the service has strong ones only. */
export function versionIn(headers?: Headers): string | null {
  return headers?.get('etag')?.replace(/^W\//, '') ?? null;
}

export function withVersion<T extends object>(record: T, etag: string | null): T {
  if (etag !== null) etags.set(record, etag);
  return record;
}

/** The ETag of `ifMatch`; undefined where any version will do. */
export function etagFrom(version: object | string | undefined): string | undefined {
  const etag = typeof version === 'object' ? etagOf(version) : version;
  if (version && !etag) throw new TypeError('ifMatch: expected an ETag');
  return etag;
}

/** Makes a request one for that version: a second one comes too late and does nothing. */
export function forVersion(version: object | string | undefined) {
  const etag = etagFrom(version);
  return etag ? { headers: { 'if-match': etag }, mayRepeat: true } : {};
}
