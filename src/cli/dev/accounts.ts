import type { Account } from 'oidc-provider';
import { escapeHtml } from './pages.ts';

/** Everybody's password. It protects nothing and is written on the login page. */
export const devPassword = 'dev';

const longestUserName = 64;

export type SignIn = { readonly accountId: string } | { readonly problem: string };

/** Every user name exists. Case and outer spaces make no difference, so that one person stays one account. */
export function signIn(userName: string, password: string): SignIn {
  const accountId = userName.normalize('NFC').trim().toLowerCase();
  if (accountId === '') return { problem: 'Enter a user name. Any name will do.' };
  if (accountId.length > longestUserName) {
    return { problem: `Enter a user name of at most ${longestUserName} characters.` };
  }
  if (password !== devPassword) return { problem: `Wrong password. It is the word “${devPassword}”.` };
  return { accountId };
}

/** The person behind an account id. All that is known about them follows from their user name. */
export function accountOf(accountId: string): Account {
  const name = accountId.replace(/(?<![\p{L}\p{N}])\p{L}/gu, (letter) => letter.toUpperCase());
  const mailbox = accountId.replace(/[^\p{L}\p{N}._-]+/gu, '.');
  return {
    accountId,
    claims: () => ({
      sub: accountId,
      name,
      picture: pictureOf(name),
      email: `${mailbox}@people.example`,
      email_verified: true,
    }),
  };
}

/** A disc with the initial, as a data: URL: no frontend has to ask another host for it. */
function pictureOf(name: string): string {
  const initial = escapeHtml([...name][0] ?? '?');
  const hue = [...name].reduce((sum, letter) => (sum * 31 + (letter.codePointAt(0) ?? 0)) % 360, 7);
  const svg =
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 64 64" width="64" height="64">` +
    `<circle cx="32" cy="32" r="32" fill="hsl(${hue} 45% 38%)"/>` +
    `<text x="32" y="32" dy=".35em" text-anchor="middle" font-family="sans-serif" font-size="30" fill="#fff">` +
    `${initial}</text></svg>`;
  return `data:image/svg+xml,${encodeURIComponent(svg)}`;
}
