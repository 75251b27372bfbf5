/** Which of these a claim names, a text or a list of texts (RFC 7519 section 4.1.3); undefined where it names none of them. */
export function namedAudience(claim: unknown, audiences: readonly string[]): string | undefined {
  const named = Array.isArray(claim) ? claim : [claim];
  const allTexts = named.every((entry) => typeof entry === 'string');
  return allTexts ? audiences.find((audience) => named.includes(audience)) : undefined;
}

/**
 * Whether a claim can name somebody or something. NUL is refused because it separates the parts of a pseudonym, and lone
 * surrogates because they all encode to the same bytes: either would let two subjects become one owner.
 */
export function isUsableName(value: unknown): value is string {
  return typeof value === 'string' && value !== '' && !value.includes('\0') && value.isWellFormed();
}
