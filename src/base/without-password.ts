/** An address without the user and password before its "@". */
export function withoutPassword(text: string): string {
  return text.replace(/^(.*?\/\/|(?=.*:.*@)).*@/s, '$1...@');
}

/** The same without the query, where some providers take a key. */
export function withoutSecrets(address: string): string {
  // An "@" behind the "?" may end a password that has a "?" in it: show neither side.
  const clear = address.replace(/^([^?#]*?\/\/)?[^?#]*[?#].*@.*/s, '$1...');
  return withoutPassword(clear).replace(/([?#]).+/s, '$1...');
}
