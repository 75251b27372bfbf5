import type { Command } from 'commander';
import { checkFiles } from '../config/files.ts';
import { type Environment, loadConfig, settingText } from '../config/load.ts';
import { type Config, environmentName, settings } from '../config/settings.ts';
import { type JsonOption, print, printing, table } from './output.ts';

/** `vestibule check`: reads the settings as `serve` would, and the provider's keys as they are stored. */
export function addTo(program: Command, environment: () => Environment): void {
  printing(
    program,
    'check',
    "read the settings, say what is wrong, show what is in force and how old the provider's keys are",
  )
    .option('--against', 'hold the declared collections against the records in the database')
    .action(async (options: JsonOption & { readonly against?: boolean }) => {
      const given = environment();
      const config = loadConfig(given);
      checkFiles(config);
      const { readDeclaredCollections } = await import('../administration.ts');
      const declared = await readDeclaredCollections(config);
      if (options.against) return checkAgainstRecords(config, options.json);
      const inForce = settingsInForce(given);
      const { database, keys } = await storedKeys(config);
      const collections = declared.map(({ name, title }) => ({ name, title }));
      print(options.json, { ok: true, settings: inForce, collections, database, provider_keys: keys }, () =>
        [
          'The settings are in order.',
          '',
          table(
            ['SETTING', 'FROM', 'VALUE'],
            inForce.map(({ name, from, value }) => [name, from, value ?? '']),
          ),
          '',
          collections.length === 0
            ? 'No collections are declared.'
            : table(
                ['COLLECTIONS', 'TITLE'],
                collections.map(({ name, title }) => [name, title]),
              ),
          '',
          keys === null
            ? `No keys of the provider are stored that could be read: "npx vestibule serve" fetches them when it starts.${database.sentence === null ? '' : ` ${database.sentence}`}`
            : `The stored keys of the provider are ${keys.age_seconds} s old, are to be fetched again in ${keys.next_fetch_in_seconds} s, and can be used for ${keys.stale_seconds_left} s more.`,
        ].join('\n'),
      );
    });
}

/** Fails when a declaration breaks what exists, so that it can stand before a deployment. */
async function checkAgainstRecords(config: Config, json: boolean | undefined): Promise<void> {
  const { judgeCollections } = await import('../inspection.ts');
  const verdicts = await judgeCollections(config);
  const isBreaking = verdicts.some(({ verdict }) => verdict === 'breaking');
  print(json, { ok: !isBreaking, collections: verdicts }, () =>
    verdicts.length === 0
      ? 'No collections are declared, and there are no records.'
      : verdicts.map(({ sentence }) => sentence).join('\n'),
  );
  if (isBreaking) process.exitCode = 1;
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
  const { storedKeySet } = await import('../inspection.ts');
  const { state, sentence, keys } = await storedKeySet(config);
  const database = { state, sentence };
  if (keys === null) return { database, keys };
  const ageMs = Date.now() - keys.fetchedAt;
  const seconds = (milliseconds: number) => Math.max(Math.round(milliseconds / 1000), 0);
  const times = {
    age_seconds: seconds(ageMs),
    next_fetch_in_seconds: seconds(keys.refreshAt - Date.now()),
    stale_seconds_left: seconds(config.jwksMaxStaleSeconds * 1000 - ageMs),
  };
  return { database, keys: times };
}
