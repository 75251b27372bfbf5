import {
  type Environment,
  loadConfig,
  loadStorageConfig,
  mistakesInFile,
  SettingsError,
} from '../config/load.ts';
import { type Config, environmentName, settings as known, type StorageConfig } from '../config/settings.ts';
import { findRunningDev } from './dev/running.ts';
import { write } from './output.ts';

interface FoundSettings {
  readonly environment: Environment;
  /** Notes that the settings are those of a running `dev`. */
  readonly from?: string;
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
    const given = this.given();
    if (isSet(given, 'DATABASE_URL')) return given;
    const running = await findRunningDev();
    if ('absent' in running) {
      if (running.isLeftOver) say(`Database: the one of "serve", because ${running.absent}.`);
      return given;
    }
    if (namesAnother(given, running.settings)) return given;
    say(`Database: that of ${nameOf(running.settings)}. Set DATABASE_URL to use another one.`);
    return withThoseOfDev(given, running.settings);
  }

  async ofStorage(): Promise<StorageConfig> {
    return loadStorageConfig(await this.ofDatabase());
  }

  /** For a command that checks a whole service. If `from` is set, the command has to print it. */
  async ofService(changes: Environment = {}): Promise<FoundSettings & { readonly config: Config }> {
    const { absent, ...found } = await this.#find();
    const environment = { ...found.environment, ...changes };
    try {
      return { ...found, environment, config: await loadConfig(environment) };
    } catch (error) {
      if (!(error instanceof SettingsError) || absent === undefined) throw error;
      throw new SettingsError([...error.mistakes, `There are no other settings to use: ${absent}.`]);
    }
  }

  /** `absent`: why there is no `dev` whose settings could be used, if no service is named. */
  async #find(): Promise<FoundSettings & { readonly absent?: string }> {
    const given = this.given();
    const isNamed = namesService(given);
    if (isNamed && isSet(given, 'DATABASE_URL')) return { environment: given };
    const running = await findRunningDev();
    if ('absent' in running)
      return isNamed ? { environment: given } : { environment: given, absent: running.absent };
    const { settings } = running;
    if (namesAnother(given, settings)) return { environment: given };
    const from = isNamed
      ? `DATABASE_URL is not given, so the database is that of ${nameOf(settings)}`
      : `no settings are given, so those of ${nameOf(settings)} are used`;
    return { environment: withThoseOfDev(given, settings), from };
  }
}

/** An empty value counts as not set. */
function isSet(given: Environment, name: string): boolean {
  return Boolean(given[name]?.trim());
}

function namesService(given: Environment): boolean {
  return serviceNames.some((name) => isSet(given, name));
}

function namesAnother(given: Environment, ofDev: Environment): boolean {
  return serviceNames.some((name) => isSet(given, name) && given[name] !== ofDev[name]);
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

function nameOf(ofDev: Environment): string {
  return `the "npx vestibule dev" that runs at ${ofDev.BASE_URL}`;
}

/** Written to standard error: standard output holds only the answer, as text or JSON. */
function say(line: string): void {
  write(`${line}\n`, process.stderr);
}
