import {
  type Environment,
  loadConfig,
  loadStorageConfig,
  mistakesInFile,
  SettingsError,
} from '../config/load.ts';
import { environmentName, settings as known, type StorageConfig } from '../config/settings.ts';
import { findRunningDev, type NoRunningDev } from './dev/running.ts';
import { write } from './output.ts';

interface FoundSettings {
  readonly environment: Environment;
  /** The running `dev` whose settings are used. */
  readonly dev?: string;
  /** There is no running `dev`. */
  readonly none?: NoRunningDev;
}

/** Either of these settings selects a service other than `dev`. */
const serviceNames = ['IDP_ORIGIN', 'IDPS_FILE', 'API_AUDIENCE'];
/** The settings of the database, which belong to that database only. */
const databaseNames = ['DATABASE_URL', 'MASTER_SECRET', 'MASTER_SECRET_FILE', 'ERASURE_LOG'];

/** Reads the settings of a command: the environment and --settings, and for the rest the `dev` that runs in this folder. */
export class CommandSettings {
  /** The settings as given. For `serve` and `dev`, which are services themselves, and for commands without a database. */
  readonly given: () => Environment;

  constructor(given: () => Environment) {
    this.given = given;
  }

  /**
   * For a command that uses a database. Prints a line to standard error if the database is not simply the configured one.
   */
  async ofDatabase(): Promise<Environment> {
    const { environment, none, dev } = await this.#find(true);
    if (none?.isLeftOver) say(`Database: the one of "serve", because ${none.absent}.`);
    if (dev) say(`Database: that of ${dev}. Set DATABASE_URL to use another one.`);
    return environment;
  }

  async ofStorage(): Promise<StorageConfig> {
    return loadStorageConfig(await this.ofDatabase());
  }

  /** For a command that checks a whole service. If `from` is set, the command has to print it. */
  async ofService(changes: Environment = {}) {
    const isNamed = namesService(this.given());
    const found = await this.#find(isNamed);
    const environment = { ...found.environment, ...changes };
    const from = isNamed
      ? `DATABASE_URL is not given, so the database is that of ${found.dev}`
      : `no settings are given, so those of ${found.dev} are used`;
    try {
      return { environment, from: found.dev && from, config: await loadConfig(environment) };
    } catch (error) {
      if (!(error instanceof SettingsError) || isNamed || !found.none) throw error;
      throw new SettingsError([
        ...error.mistakes,
        `There are no other settings to use: ${found.none.absent}.`,
      ]);
    }
  }

  /** With the settings of the running `dev`, unless these name another service or, if it is sufficient, a database. */
  async #find(isDatabaseSufficient: boolean): Promise<FoundSettings> {
    const given = this.given();
    if (isDatabaseSufficient && isSet(given, 'DATABASE_URL')) return { environment: given };
    const running = await findRunningDev();
    if ('absent' in running) return { environment: given, none: running };
    const { settings } = running;
    if (serviceNames.some((name) => isSet(given, name) && given[name] !== settings[name]))
      return { environment: given };
    const dev = `the "npx vestibule dev" that runs at ${settings.BASE_URL}`;
    return { environment: withThoseOfDev(given, settings), dev };
  }
}

/** An empty value counts as not set. */
function isSet(given: Environment, name: string): boolean {
  return Boolean(given[name]?.trim());
}

function namesService(given: Environment): boolean {
  return serviceNames.some((name) => isSet(given, name));
}

/**
 * An environment with the provider and audience that `dev` has printed means the service of `dev`; then its other settings
 * count, too. Otherwise no setting does, as for `dev` itself, which takes over only a few. The database is that of `dev` in
 * both cases.
 */
function withThoseOfDev(given: Environment, ofDev: Environment): Environment {
  const isNamed = namesService(given);
  const settings = new Set(Object.keys(known).map(environmentName));
  const counting = Object.entries(given).filter(([name]) => isNamed || !settings.has(name));
  const database = databaseNames.map((name) => [name, ofDev[name]]);
  const { [mistakesInFile]: mistakes } = given;
  return { ...ofDev, ...Object.fromEntries([...counting, ...database]), [mistakesInFile]: mistakes };
}

/** Written to standard error: standard output holds only the answer, as text or JSON. */
function say(line: string): void {
  write(`${line}\n`, process.stderr);
}
