import { parseEnv } from 'node:util';
import { nearest } from '../base/yaml/mistakes.ts';
import { type Environment, mistakesInFile } from './load.ts';
import { environmentName, settings } from './settings.ts';
import { naming, readTextFile } from './text-file.ts';

const settingNames = Object.keys(settings).map(environmentName);

/** The only reader of the environment. A settings file supplies what the environment does not set. */
export function readEnvironment(settingsFile: string | undefined): Environment {
  // An empty variable counts as not set.
  const set = Object.fromEntries(Object.entries(process.env).filter(([, value]) => value?.trim()));
  const slips = misspelt(set);
  if (settingsFile === undefined) return { ...set, [mistakesInFile]: slips };
  const what = `The settings file "${settingsFile}" (--settings)`;
  const text = naming(what, () => readTextFile(settingsFile));
  const fromFile = parseEnv(text);
  const mistakes = [
    ...slips,
    ...linesWithoutValue(settingsFile, text),
    ...unknownNames(settingsFile, Object.keys(fromFile)),
  ];
  return { ...fromFile, ...set, [mistakesInFile]: mistakes };
}

/**
 * Variables that are one slip away from a setting that is not set. Settings of one word are left out: any program may have
 * a variable like HOST.
 */
function misspelt(set: Environment): readonly string[] {
  const unset = settingNames.filter((name) => name.includes('_') && set[name] === undefined);
  return Object.keys(set).flatMap((name) => {
    const meant = settingNames.includes(name) ? null : nearest(name, unset, () => 1);
    if (meant === null) return [];
    return `The environment sets ${name}, which is not a setting; did you mean "${meant}"? If another program needs ${name}, set ${meant}, too.`;
  });
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

function unknownNames(file: string, names: readonly string[]): readonly string[] {
  return names
    .filter((name) => !settingNames.includes(name))
    .map((name) => {
      const near = nearest(name, settingNames);
      return `"${file}" sets ${name}, which is not a setting${near === null ? '. Remove it.' : `; did you mean "${near}"?`}`;
    });
}
