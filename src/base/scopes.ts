import { Refusal } from './errors.ts';
import { rememberLast } from './recent-map.ts';

/** Scopes (RFC 6749 section 3.3): words of printable ASCII without quotes and backslashes, joined by single spaces. */
const listForm = /^[\x21\x23-\x5b\x5d-\x7e]+(?: [\x21\x23-\x5b\x5d-\x7e]+)*$/;
export const longestScopeName = 128;

/** Null for a malformed list. Most tokens of a provider have the same scopes, so they share one list. */
export const readScopes = rememberLast((text: string): readonly string[] | null =>
  listForm.test(text) ? text.split(' ') : null,
);

export function writeScopes(scopes: readonly string[]): string {
  return scopes.join(' ');
}

/** The scopes as a claim or member of an answer; absent without scopes. */
export function scopeMember(scopes: readonly string[]): { readonly scope?: string } {
  return scopes.length > 0 ? { scope: writeScopes(scopes) } : {};
}

export function isScopeName(name: string): boolean {
  return name.length <= longestScopeName && listForm.test(name) && !name.includes(' ');
}

export function isGranted(wanted: readonly string[], granted: readonly string[]): boolean {
  return wanted.every((scope) => granted.includes(scope));
}

export function requireScopes(wanted: readonly string[], granted: readonly string[]): void {
  if (!isGranted(wanted, granted)) throw new Refusal('insufficient_scope', { scope: wanted });
}

type Purpose = 'read' | 'write';

export function scopesOf(
  collections: readonly {
    readonly access: { readonly scopes: { readonly [P in Purpose]: string | null } };
  }[],
  purposes: readonly Purpose[] = ['read', 'write'],
): readonly string[] {
  const named = collections.flatMap(({ access }) =>
    purposes.flatMap((purpose) => access.scopes[purpose] ?? []),
  );
  return [...new Set(named)];
}
