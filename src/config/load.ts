import { OperatorError } from '../base/errors.ts';
import { type Rule, serviceRules, storageRules } from './rules.ts';
import {
  type Config,
  environmentName,
  type KeyConfig,
  keySettings,
  type Setting,
  type StorageConfig,
  settings,
  storageSettings,
} from './settings.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

/** All mistakes at once, so that nobody repairs them one start at a time. */
export class SettingsError extends OperatorError {
  readonly mistakes: readonly string[];

  constructor(mistakes: readonly string[]) {
    const count = mistakes.length === 1 ? 'One setting is wrong' : `${mistakes.length} settings are wrong`;
    super(`${count}:\n${mistakes.map((mistake) => `  ${mistake}`).join('\n')}`);
    this.mistakes = mistakes;
  }
}

/** The settings of the running service. */
export function loadConfig(environment: Environment): Config {
  return read(settings, [...storageRules, ...serviceRules], environment) as unknown as Config;
}

/** The settings of a command that only works on the database. */
export function loadStorageConfig(environment: Environment): StorageConfig {
  return read(storageSettings, storageRules, environment) as unknown as StorageConfig;
}

/** The settings of a command that works on the signing keys. */
export function loadKeyConfig(environment: Environment): StorageConfig & KeyConfig {
  const table = { ...storageSettings, ...keySettings };
  return read(table, storageRules, environment) as unknown as StorageConfig & KeyConfig;
}

/** The text a setting has: what the environment says, else its default. A blank one counts as not set. */
export function settingText(key: string, setting: Setting, environment: Environment): string | null {
  return environment[environmentName(key)]?.trim() || setting.default;
}

/** Thrown when a rule reads a setting of which there is no value. */
const unreadable = new Error('This setting is wrong.');
const throwUnreadable = () => {
  throw unreadable;
};

function read(table: Readonly<Record<string, Setting>>, rules: readonly Rule[], environment: Environment) {
  const values: Record<string, unknown> = {};
  const mistakes: string[] = [];
  for (const [key, setting] of Object.entries(table)) {
    try {
      values[key] = readOne(key, setting, environment);
    } catch (error) {
      mistakes.push((error as Error).message);
      Object.defineProperty(values, key, { get: throwUnreadable });
    }
  }
  for (const rule of rules) {
    try {
      const mistake = rule(values as unknown as Config);
      if (mistake) mistakes.push(mistake);
    } catch (error) {
      if (error !== unreadable) throw error;
    }
  }
  if (mistakes.length > 0) throw new SettingsError(mistakes);
  return Object.freeze(values);
}

function readOne(key: string, setting: Setting, environment: Environment): unknown {
  const name = environmentName(key);
  const text = settingText(key, setting, environment);
  if (text === null && setting.required)
    throw new Error(`${name} is not set. ${setting.sentence} Example: ${name}=${setting.example}`);
  try {
    return text === null ? null : setting.parse(text);
  } catch (error) {
    // The value of a secret is not repeated: standard error ends up in logs.
    const found = setting.secret ? 'what was found is a secret and not shown' : `found "${text}"`;
    throw new Error(`${name} ${(error as Error).message}; ${found}. Example: ${name}=${setting.example}`);
  }
}
