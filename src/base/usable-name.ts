/**
 * Whether a claim can name somebody or something. NUL is refused because it separates the parts of a pseudonym, and lone
 * surrogates because they all encode to the same bytes: either would let two subjects become one owner.
 */
export function isUsableName(value: unknown): value is string {
  return typeof value === 'string' && value !== '' && !value.includes('\0') && value.isWellFormed();
}
