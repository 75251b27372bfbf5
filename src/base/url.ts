export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || host === '[::1]' || /^127(\.\d{1,3}){3}$/.test(host);
}

export function isHttps(url: string): boolean {
  return new URL(url).protocol === 'https:';
}

export function isHttpsOrLoopback(url: string): boolean {
  const { protocol, hostname } = new URL(url);
  return protocol === 'https:' || (protocol === 'http:' && isLoopback(hostname));
}

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
