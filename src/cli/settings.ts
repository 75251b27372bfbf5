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
  /** Says that they are those of a running `dev`, where they are. */
  readonly from?: string;
}

/** Either of them says that a service is meant, and which. */
const serviceNames = ['IDP_ORIGIN', 'IDPS_FILE', 'API_AUDIENCE'];
/** Where the database is, and what belongs to that one only. */
const databaseNames = ['DATABASE_URL', 'MASTER_SECRET', 'MASTER_SECRET_FILE', 'ERASURE_LOG'];

/** Reads the settings of a command: the environment and --settings, and for the rest the `dev` that runs in this folder. */
export class CommandSettings {
  /** As they are given. For `serve` and `dev`, which are services themselves, and for what opens no database. */
  readonly given: () => Environment;

  constructor(given: () => Environment) {
    this.given = given;
  }

  /** For a command that works on a database. Standard error has a line when it is not simply the one that is given. */
  async ofDatabase(): Promise<Environment> {
    const given = this.given();
    if (isSet(given, 'DATABASE_URL')) return given;
    const running = await findRunningDev();
    if ('absent' in running) {
      if (running.isLeftOver) say(`Database: the one of "serve", because ${running.absent}.`);
      return given;
    }
    if (namesAnother(given, running.settings)) return given;
    say(`Database: that of ${nameOf(running.settings)}. DATABASE_URL would name another one.`);
    return withThoseOfDev(given, running.settings);
  }

  async ofStorage(): Promise<StorageConfig> {
    return loadStorageConfig(await this.ofDatabase());
  }

  /** For a command that looks at a whole service. Where `from` is, the command has to say it. */
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

  /** `absent`: why there is no `dev` whose settings could be used, where no service is named. */
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
      : `none are given, so these are those of ${nameOf(settings)}`;
    return { environment: withThoseOfDev(given, settings), from };
  }
}

/** A blank one counts as not set. */
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
 * Who gives the provider and audience that `dev` has printed means its service; what else is given then counts, too. Else
 * no setting does, as for `dev` itself, which takes over only a few. The database is that of `dev` in both cases.
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

/** On standard error: what stands on standard output is the answer, as text and as JSON. */
function say(line: string): void {
  write(`${line}\n`, process.stderr);
}
