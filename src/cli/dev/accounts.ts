import type { Account } from 'oidc-provider';
import { normaliseText } from '../../base/unicode.ts';
import { pictureAddress } from './pictures.ts';

/** The password of every user. It protects nothing and is shown on the login page. */
export const devPassword = 'dev';

const demoPeople: ReadonlyMap<string, string> = new Map([
  ['ada', 'Ada Lovelace'],
  ['alan', 'Alan Turing'],
  ['grace', 'Grace Hopper'],
]);

const longestUserName = 64;

type SignIn = { readonly accountId: string } | { readonly problem: string };

/** Account ids and names of the users that the login page suggests. Any other user name works, too. */
export function suggestedUsers(declared: Iterable<string>): readonly (readonly [string, string])[] {
  const ids = [...declared];
  return (ids.length === 0 ? [...demoPeople.keys()] : ids).map((id) => [id, nameOf(id)]);
}

/** Ignores case and outer spaces, so that one person has one account. */
export function accountIdOf(userName: string): string {
  return normaliseText(userName, 'NFC').trim().toLowerCase();
}

/** Every user name exists. */
export function signIn(userName: string, password: string): SignIn {
  const accountId = accountIdOf(userName);
  if (accountId === '') return { problem: 'Enter a user name. Any name will do.' };
  if (accountId.length > longestUserName) {
    return { problem: `Enter a user name of at most ${longestUserName} characters.` };
  }
  if (password !== devPassword) return { problem: `Wrong password. It is the word “${devPassword}”.` };
  return { accountId };
}

/** The user of an account id. All claims follow from the user name. */
export function accountOf(accountId: string, issuer: string): Account {
  const mailbox = accountId.replace(/[^\p{L}\p{N}._-]+/gu, '.');
  return {
    accountId,
    claims: () => ({
      sub: accountId,
      name: nameOf(accountId),
      picture: pictureAddress(issuer, accountId),
      email: `${mailbox}@people.example`,
      email_verified: true,
    }),
  };
}

export function nameOf(accountId: string): string {
  const inCapitals = () => accountId.replace(/(?<![\p{L}\p{N}])\p{L}/gu, (letter) => letter.toUpperCase());
  return demoPeople.get(accountId) ?? inCapitals();
}
