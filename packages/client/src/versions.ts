const etags = new WeakMap<object, string>();

/** The ETag of a record that a call or a batch has answered with. Records of lists have none. */
export function etagOf(record: object): string | undefined {
  return etags.get(record);
}

/** The record of an answer; an empty object with 204. */
export async function readRecord(answer: Response) {
  const record = (answer.status === 204 ? {} : await answer.json()) as Record<string, unknown>;
  return withVersion(record, versionIn(answer.headers));
}

/** Removes the `W/` of a proxy that compresses: ETags of the service are strong, and If-Match matches no weak one. */
export function versionIn(headers?: Headers): string | undefined {
  return headers?.get('etag')?.replace(/^W\//, '');
}

export function withVersion<T extends object>(record: T, etag?: string | null): T {
  if (etag) etags.set(record, etag);
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
