/** The first of these audiences that an `aud` claim names (RFC 7519 section 4.1.3). */
export function namedAudience(claim: unknown, audiences: readonly string[]): string | undefined {
  const named = Array.isArray(claim) ? claim : [claim];
  const allTexts = named.every((entry) => typeof entry === 'string');
  return allTexts ? audiences.find((audience) => named.includes(audience)) : undefined;
}

/** NUL separates the parts of a pseudonym, and all lone surrogates encode alike: either would make one owner of two subjects. */
export function isUsableName(value: unknown): value is string {
  return typeof value === 'string' && value !== '' && !value.includes('\0') && value.isWellFormed();
}
