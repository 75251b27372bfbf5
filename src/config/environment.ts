import { parseEnv } from 'node:util';
import { OperatorError } from '../base/errors.ts';
import { nearest } from '../base/yaml/mistakes.ts';
import { type Environment, mistakesInFile } from './load.ts';
import { environmentName, settings } from './settings.ts';
import { readTextFile } from './text-file.ts';

/** The one place that reads the environment. A settings file fills in what the environment does not say. */
export function readEnvironment(settingsFile: string | undefined): Environment {
  // An empty variable counts as not set.
  const set = Object.fromEntries(Object.entries(process.env).filter(([, value]) => value?.trim()));
  if (settingsFile === undefined) return set;
  const fromFile = readSettingsFile(settingsFile);
  return { ...fromFile, ...set, [mistakesInFile]: strangersIn(settingsFile, Object.keys(fromFile)) };
}

/** In the environment anybody may set anything; a name in the file is meant for us. */
function strangersIn(file: string, names: readonly string[]): readonly string[] {
  const known = Object.keys(settings).map(environmentName);
  return names
    .filter((name) => !known.includes(name))
    .map((name) => {
      const near = nearest(name, known);
      return `"${file}" sets ${name}, and there is no such setting${near === null ? ', nor one like it.' : `; did you mean "${near}"?`}`;
    });
}

function readSettingsFile(file: string): Environment {
  try {
    return parseEnv(readTextFile(file));
  } catch (error) {
    throw new OperatorError(`The settings file "${file}" (--settings) ${(error as Error).message}.`);
  }
}
