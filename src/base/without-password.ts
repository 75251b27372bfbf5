/** An address as it may be printed: before its "@" stands as whom it is asked, and by which password. */
export function withoutPassword(text: string): string {
  return text.replace(/^(.*?\/\/|(?=.*:.*@)).*@/s, '$1...@');
}

/** The same of what is an address, or was to be one, where some providers take a key behind the "?". */
export function withoutSecrets(address: string): string {
  // An "@" behind the "?" ends a password that has a "?" in it, or is in the key: neither side of it can be shown.
  const clear = address.replace(/^([^?#]*?\/\/)?[^?#]*[?#].*@.*/s, '$1...');
  return withoutPassword(clear).replace(/([?#]).+/s, '$1...');
}
