/** The host that the driver takes from the URL of a PostgreSQL database; a path is that of a socket. */
export function hostOf(url: string): string {
  const { hostname, searchParams } = new URL(url);
  return searchParams.get('host') ?? decodeURIComponent(hostname);
}

const modes = ['disable', 'no-verify', 'prefer', 'require', 'verify-ca', 'verify-full'];

/** Whether it says how the way there is protected, even if it is not. */
export function saysHowItIsProtected(url: string): boolean {
  const { searchParams } = new URL(url);
  return modes.includes(searchParams.get('sslmode') ?? '') || searchParams.get('ssl') !== null;
}

/**
 * `pg` 8 checks certificate and name with every mode but `disable` and `no-verify`, and warns that `pg` 9 is going to take
 * three of them for less. Here they go on meaning what they mean now.
 */
export function withCheckedCertificate(url: string): string {
  if (/[?&]uselibpqcompat=true(&|$)/.test(url)) return url;
  return url.replace(/([?&]sslmode=)(?:prefer|require|verify-ca)(?=&|$)/, '$1verify-full');
}
