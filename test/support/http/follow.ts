/** Follows a reference within a document (RFC 6901 section 6). */
export function follow(reference: string, root: object): unknown {
  return reference
    .slice('#/'.length)
    .split('/')
    .map((part) => decodeURIComponent(part).replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce<unknown>((whole, name) => (whole as Record<string, unknown> | undefined)?.[name], root);
}
