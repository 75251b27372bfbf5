import { readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';
import { OperatorError } from '../base/errors.ts';
import type { Environment } from './load.ts';
import { environmentName, settings } from './settings.ts';

/** The one place that reads the environment. A settings file fills in what the environment does not say. */
export function readEnvironment(settingsFile: string | undefined): Environment {
  // An empty variable counts as not set.
  const set = Object.fromEntries(Object.entries(process.env).filter(([, value]) => value?.trim()));
  if (settingsFile === undefined) return set;
  const fromFile = readSettingsFile(settingsFile);
  const known = new Set(Object.keys(settings).map(environmentName));
  const unknown = Object.keys(fromFile).filter((name) => !known.has(name));
  if (unknown.length > 0) {
    throw new OperatorError(
      `The settings file "${settingsFile}" sets ${unknown.join(', ')}, and there is no such setting. docs/config.md lists them all.`,
    );
  }
  return { ...fromFile, ...set };
}

function readSettingsFile(file: string): Environment {
  try {
    return parseEnv(readFileSync(file, 'utf8'));
  } catch (error) {
    const { code } = error as { code?: unknown };
    throw new OperatorError(
      `The settings file "${file}" (--settings) cannot be read (${code ?? 'not NAME=value lines'}).`,
    );
  }
}
