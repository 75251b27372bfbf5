import { Refusal } from './errors.ts';
import { rememberLast } from './remember-last.ts';

/** Scopes (RFC 6749 section 3.3): words of printable ASCII without quotes and backslashes, joined by single spaces. */
const listForm = /^[\x21\x23-\x5b\x5d-\x7e]+(?: [\x21\x23-\x5b\x5d-\x7e]+)*$/;
export const longestScopeName = 128;

/** Most tokens of a provider grant the same, so they share one list. Null for what is none. */
export const readScopes = rememberLast((text: string): readonly string[] | null =>
  listForm.test(text) ? text.split(' ') : null,
);

export function writeScopes(scopes: readonly string[]): string {
  return scopes.join(' ');
}

/** As a claim of a token, and as a member of the answer it comes in: absent when there are none. */
export function scopeMember(scopes: readonly string[]): { readonly scope?: string } {
  return scopes.length > 0 ? { scope: writeScopes(scopes) } : {};
}

/** Whether a client or a collection may name a scope so. */
export function isScopeName(name: string): boolean {
  return name.length <= longestScopeName && listForm.test(name) && !name.includes(' ');
}

/** Whether all that is wanted is granted, as exact words. */
export function isGranted(wanted: readonly string[], granted: readonly string[]): boolean {
  return wanted.every((scope) => granted.includes(scope));
}

export function requireScopes(wanted: readonly string[], granted: readonly string[]): void {
  if (!isGranted(wanted, granted)) throw new Refusal('insufficient_scope', { scope: wanted });
}

type Purpose = 'read' | 'write';

/** What collections ask for, each scope once. */
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
