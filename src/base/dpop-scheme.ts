const scheme = /^dpop(?:\s|$)/i;

/** Whether credentials are of the scheme of RFC 9449, well-formed or not. Most are not, which their first letters say. */
export function isDpop(authorization: string | undefined): authorization is string {
  return authorization?.startsWith('Bearer ') === false && scheme.test(authorization);
}
