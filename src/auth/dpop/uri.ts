/** Absolute, in plain ASCII, with neither a name and password nor anything that a URL parser would repair. */
const plainUri = /^https?:\/\/[^\s\\@/?#]+(?:[/?#][!-[\]-~]*)?$/i;
const escapes = /%[0-9a-f]{2}/gi;
const unreserved = /^[A-Za-z0-9._~-]$/;

/**
 * Whether `htu` names the address of a request. Query and fragment do not count (RFC 9449 section 4.3), and what RFC
 * 3986 says is the same is the same: section 6.2.2 (case of scheme and host, escapes, dots) and 6.2.3 (usual port, no path).
 */
export function isSameUri(htu: string, uri: string): boolean {
  if (htu === uri) return true;
  const normal = normalised(htu);
  return normal !== null && normal === normalised(uri);
}

function normalised(text: string): string | null {
  if (!plainUri.test(text)) return null;
  // First the escapes: a dot may be written as one.
  const url = URL.parse(text.replace(escapes, plainEscape));
  return url === null ? null : `${url.origin}${url.pathname}`;
}

function plainEscape(text: string): string {
  const character = String.fromCharCode(Number.parseInt(text.slice(1), 16));
  return unreserved.test(character) ? character : text.toUpperCase();
}
