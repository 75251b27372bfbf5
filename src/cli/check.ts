import { type Command, Option } from 'commander';
import { checkFiles } from '../config/files.ts';
import { type Environment, loadCollectionsDir, loadConfig, settingText } from '../config/load.ts';
import { type Config, environmentName, settings } from '../config/settings.ts';
import { findingLine, type JsonOption, print, printing, table } from './output.ts';
import type { CommandSettings } from './settings.ts';

/** `vestibule check`: reads the settings as `serve` would, and the provider's keys as they are stored. */
export function addTo(program: Command, commandSettings: CommandSettings): void {
  printing(
    program,
    'check',
    "read the settings, say what is wrong, show what is in force and how old the provider's keys are",
  )
    .argument(
      '[folder]',
      'only read the collections of this folder (*.yaml, *.yml); needs no settings and no provider',
    )
    .option(
      '--against',
      'hold the collections against the records in the database, for which all settings are needed',
    )
    .addOption(
      new Option('--profile <name>', 'list what the settings lack for a profile of OAuth').choices(['fapi2']),
    )
    .addHelpText('after', helpText)
    .action(async (folder: string | undefined, options: CheckOptions) => {
      const given = commandSettings.given();
      if (
        !options.against &&
        options.profile === undefined &&
        (folder !== undefined || setsOnlyCollections(given))
      )
        return checkDeclarations(folder ?? loadCollectionsDir(given), options.json);
      const { environment: found, from } = await commandSettings.ofService();
      if (from !== undefined) process.stderr.write(`Settings: ${from}.\n`);
      const environment = folder === undefined ? found : { ...found, COLLECTIONS_DIR: folder };
      const config = await loadConfig(environment);
      checkFiles(config);
      if (options.profile !== undefined) return checkProfile(config, options.profile, options.json);
      const { readDeclaredCollections } = await import('../declared-collections.ts');
      const declared = await readDeclaredCollections(config);
      if (options.against) return checkAgainstRecords(config, options.json);
      const inForce = settingsInForce(environment);
      const { database, keys } = await storedKeys(config);
      const collections = declared.map(({ name, title }) => ({ name, title }));
      print(options.json, { ok: true, settings: inForce, collections, database, ...keysAsData(keys) }, () =>
        [
          'The settings are in order.',
          '',
          table(
            ['SETTING', 'FROM', 'VALUE'],
            inForce.map(({ name, from, value }) => [name, from, value ?? '']),
          ),
          '',
          collections.length === 0 ? 'No collections are declared.' : collectionTable(collections),
          '',
          ...keys.map(({ who, times }) => keysLine(who, times)),
          ...(database.sentence === null ? [] : [database.sentence]),
        ].join('\n'),
      );
    });
}

interface CheckOptions extends JsonOption {
  readonly against?: boolean;
  readonly profile?: 'fapi2';
}

const helpText = `
"check <folder>" reads the YAML files of that folder, one collection each, and nothing else: it needs no IDP_ORIGIN, no
API_AUDIENCE, no other setting and no database, and says every mistake with its file and line. So does "check" where
nothing but COLLECTIONS_DIR is set. Where neither IDP_ORIGIN nor API_AUDIENCE is, "check" without a folder takes the settings
of the "dev" that runs here.

"check --profile fapi2" reads the settings and the clients, and lists what is missing for the FAPI 2.0 Security Profile at a
resource server and at POST /token: what it asks for, what is set, what to do. It ends with 1 when anything is.`;

interface Named {
  readonly name: string;
  readonly title: string;
}

function collectionTable(collections: readonly Named[]): string {
  return table(
    ['COLLECTIONS', 'TITLE'],
    collections.map(({ name, title }) => [name, title]),
  );
}

/** Whoever sets anything else means a service, of which nothing may be missing. */
function setsOnlyCollections(environment: Environment): boolean {
  const set = Object.keys(settings)
    .map(environmentName)
    .filter((name) => environment[name]?.trim());
  return set.join() === 'COLLECTIONS_DIR';
}

/** For whoever writes declarations and runs no service: they need no provider to be right. */
async function checkDeclarations(folder: string | null, json: boolean | undefined): Promise<void> {
  const { declaredIn } = await import('../inspection/declarations.ts');
  const collections = declaredIn(folder).map(({ name, title }) => ({ name, title }));
  const required = Object.entries(settings).filter(
    ([, { required, requiredWithout }]) => required || requiredWithout !== undefined,
  );
  const missing = required.map(([key]) => environmentName(key)).join(' and ');
  print(json, { ok: true, settings: null, collections, database: null, provider_keys: null }, () =>
    [
      'The collections are in order.',
      '',
      collectionTable(collections),
      '',
      `The settings were not looked at. "npx vestibule check" does that where ${missing} are set.`,
    ].join('\n'),
  );
}

/** Fails when a declaration breaks what exists, so that it can stand before a deployment. */
async function checkAgainstRecords(config: Config, json: boolean | undefined): Promise<void> {
  const { judgeCollections } = await import('../inspection/collections.ts');
  const verdicts = await judgeCollections(config);
  const isBreaking = verdicts.some(({ verdict }) => verdict === 'breaking');
  print(json, { ok: !isBreaking, collections: verdicts }, () =>
    verdicts.length === 0
      ? 'No collections are declared, and there are no records.'
      : verdicts.map(({ sentence }) => sentence).join('\n'),
  );
  if (isBreaking) process.exitCode = 1;
}

/** What is missing for a profile, and nothing of what is not; as data both. */
async function checkProfile(config: Config, profile: 'fapi2', json: boolean | undefined): Promise<void> {
  const { inspectClients } = await import('../inspection/client-authentication.ts');
  const { fapi2Findings, fapi2Notes: notes } = await import('./check/fapi2.ts');
  const findings = fapi2Findings(config, await inspectClients(config));
  const missing = findings.filter(({ result }) => result === 'fail');
  const met = findings.filter(({ result }) => result === 'pass');
  const name = 'the FAPI 2.0 Security Profile';
  print(json, { ok: missing.length === 0, profile, missing, met, notes }, () =>
    [
      ...missing.map(findingLine),
      ...(missing.length === 0 ? [] : ['']),
      missing.length === 0
        ? `Nothing that can be set is missing for ${name}.`
        : `${missing.length} of ${findings.length} things are missing for ${name}.`,
      '',
      ...notes.map((note) => `- ${note}`),
    ].join('\n'),
  );
  if (missing.length > 0) process.exitCode = 1;
}

function settingsInForce(environment: Environment) {
  return Object.entries(settings).map(([key, setting]) => {
    const text = settingText(key, setting, environment);
    const isDefault = environment[environmentName(key)] === undefined;
    return {
      name: environmentName(key),
      value: setting.secret && !isDefault && text !== null ? '(secret)' : text,
      from: isDefault ? ('default' as const) : ('set' as const),
    };
  });
}

/** What a restart would begin with. A database that is not there or does not answer is no mistake in the settings. */
async function storedKeys(config: Config) {
  const { storedKeySets } = await import('../inspection/provider.ts');
  const { state, sentence, keys } = await storedKeySets(config);
  const { providers, jwksMaxStaleSeconds } = config;
  const known = providers.map(({ name }, index) => ({
    name,
    who: providers.length === 1 ? 'the provider' : `"${name}"`,
    times: timesOf(keys[index] ?? null, jwksMaxStaleSeconds),
  }));
  return { database: { state, sentence }, keys: known };
}

type StoredTimes = ReturnType<typeof timesOf>;

function timesOf(keys: { readonly fetchedAt: number; readonly refreshAt: number } | null, most: number) {
  if (keys === null) return null;
  const ageMs = Date.now() - keys.fetchedAt;
  const seconds = (milliseconds: number) => Math.max(Math.round(milliseconds / 1000), 0);
  return {
    age_seconds: seconds(ageMs),
    next_fetch_in_seconds: seconds(keys.refreshAt - Date.now()),
    stale_seconds_left: seconds(most * 1000 - ageMs),
  };
}

/** Of one provider by itself, of several by their names. */
function keysAsData(keys: readonly { readonly name: string; readonly times: StoredTimes }[]) {
  const [first, ...others] = keys;
  if (others.length === 0) return { provider_keys: first?.times ?? null };
  return { providers: Object.fromEntries(keys.map(({ name, times }) => [name, times])) };
}

function keysLine(who: string, times: StoredTimes): string {
  if (times === null)
    return `No keys of ${who} are stored that could be read: "npx vestibule serve" fetches them when it starts.`;
  return `The stored keys of ${who} are ${times.age_seconds} s old, are to be fetched again in ${times.next_fetch_in_seconds} s, and can be used for ${times.stale_seconds_left} s more.`;
}
