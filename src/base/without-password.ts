/**
 * An address as it may be printed: before its "@" stands as whom it is asked, and by which password, and behind its "?"
 * some providers take a key.
 */
export function withoutPassword(text: string): string {
  return text.replace(/^(.*?\/\/|(?=.*:.*@)).*@/s, '$1...@').replace(/^(.*?\/\/.*?\?).+/s, '$1...');
}
