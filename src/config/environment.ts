import { parseEnv } from 'node:util';
import { OperatorError } from '../base/errors.ts';
import { nearest } from '../base/yaml/mistakes.ts';
import { type Environment, mistakesInFile, removedSettings } from './load.ts';
import { environmentName, settings } from './settings.ts';
import { readTextFile } from './text-file.ts';

/** The only reader of the environment. A settings file supplies what the environment does not set. */
export function readEnvironment(settingsFile: string | undefined): Environment {
  // An empty variable counts as not set.
  const set = Object.fromEntries(Object.entries(process.env).filter(([, value]) => value?.trim()));
  if (settingsFile === undefined) return set;
  const text = readSettingsFile(settingsFile);
  const fromFile = parseEnv(text);
  const mistakes = [
    ...linesWithoutValue(settingsFile, text),
    ...unknownNames(settingsFile, Object.keys(fromFile)),
  ];
  return { ...fromFile, ...set, [mistakesInFile]: mistakes };
}

/** An assignment whose quoted value may span several lines, as `parseEnv` reads it. */
const quotedValue = /^([ \t]*(?:export[ \t]+)?[\w.-]+[ \t]*=)[ \t]*(["'`])[\s\S]*?\2/gm;

/** Lines that `parseEnv` ignores. Their text is not shown, because it may be a secret. */
function linesWithoutValue(file: string, text: string): readonly string[] {
  const lines = text
    .replaceAll(quotedValue, (whole, name: string) => name + whole.replaceAll(/[^\n]/g, ''))
    .split('\n');
  return lines.flatMap((line, index) =>
    /^\s*(#|$)/.test(line) || line.includes('=')
      ? []
      : [
          `"${file}", line ${index + 1}, has no "=". Write NAME=value, or begin the line with # if it is a comment.`,
        ],
  );
}

/** The environment may hold variables of other programs; every name in the file must be a setting. */
function unknownNames(file: string, names: readonly string[]): readonly string[] {
  const known = Object.keys(settings).map(environmentName);
  return names
    .filter((name) => !known.includes(name) && removedSettings[name] === undefined)
    .map((name) => {
      const near = nearest(name, known);
      return `"${file}" sets ${name}, which is not a setting${near === null ? '. Remove it.' : `; did you mean "${near}"?`}`;
    });
}

function readSettingsFile(file: string): string {
  try {
    return readTextFile(file);
  } catch (error) {
    throw new OperatorError(`The settings file "${file}" (--settings) ${(error as Error).message}.`);
  }
}
