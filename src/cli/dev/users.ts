import { existsSync } from 'node:fs';
import { OperatorError } from '../../base/errors.ts';
import { isScopeName } from '../../base/scopes.ts';
import { isJsonObject, pointerTo } from '../../base/strict-json.ts';
import { found } from '../../base/yaml/mistakes.ts';
import { readWithMistakes } from '../../base/yaml/yaml-text.ts';
import { naming, readTextFile } from '../../config/text-file.ts';
import { accountIdOf } from './accounts.ts';
import { usersFile } from './environment.ts';

/** Users with other than the usual scopes, by account id. */
export type DevUsers = ReadonlyMap<string, readonly string[]>;

/** Null without the file. */
export function readUsersFile(): string | null {
  if (!existsSync(usersFile)) return null;
  return naming(`The file "${usersFile}"`, () => readTextFile(usersFile));
}

/** Throws all mistakes, each with its line. */
export function readDevUsers(text: string | null = readUsersFile()): DevUsers {
  const users = new Map<string, readonly string[]>();
  if (text === null) return users;
  const { data, say, mistakes } = readWithMistakes(text);
  if (mistakes().length === 0 && !isJsonObject(data))
    say('', `must have a line for each user, such as "ada: [notes.read]"; ${found(data)}`);
  for (const [name, scopes] of Object.entries(isJsonObject(data) ? data : {})) {
    const isList = Array.isArray(scopes) && scopes.every((scope) => isScopeName(String(scope)));
    if (!isList) say(pointerTo('', name), `must be a list of scopes, such as [notes.read]; ${found(scopes)}`);
    else users.set(accountIdOf(name), scopes.map(String));
  }
  const lines = mistakes().map(({ line, sentence }) => `\n  ${usersFile}:${line}: ${sentence}`);
  if (lines.length > 0) throw new OperatorError(`There are mistakes in the users of "dev":${lines.join('')}`);
  return users;
}
