/** An address as it may be printed: before its "@" stands as whom it is asked, and by which password. */
export function withoutPassword(text: string): string {
  return text.replace(/^(.*?\/\/|(?=.*:.*@)).*@/s, '$1...@');
}
