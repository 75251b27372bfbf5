import type { Command } from 'commander';
import { checkFiles, databaseFiles } from '../config/files.ts';
import { type Environment, loadCollectionsDir, loadConfig, settingText } from '../config/load.ts';
import { type Config, environmentName, settings } from '../config/settings.ts';
import { checkAgainstRecords, checkDeclarations, collectionTable } from './check/collections.ts';
import { keysAsData, keysLine, storedKeys } from './check/stored-keys.ts';
import { examineErasureLog } from './doctor/data-files.ts';
import { findingLines, type JsonOption, print, printing, table, write } from './output.ts';
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
    .option('--all', 'show the settings that have their defaults, too')
    .addHelpText('after', helpText)
    .action(async (folder: string | undefined, options: CheckOptions) => {
      const given = commandSettings.given();
      if (!options.against && (folder !== undefined || setsOnlyCollections(given)))
        return checkDeclarations(folder ?? loadCollectionsDir(given), options.json);
      const { environment: found, from } = await commandSettings.ofService();
      if (from !== undefined) write(`Settings: ${from}.\n`, process.stderr);
      const environment = folder === undefined ? found : { ...found, COLLECTIONS_DIR: folder };
      const config = await loadConfig(environment);
      checkFiles(config);
      const { readDeclaredCollections } = await import('../app/declared-collections.ts');
      const declared = await readDeclaredCollections(config);
      if (options.against) return checkAgainstRecords(config, options.json);
      const inForce = settingsInForce(environment);
      const { database, keys } = await storedKeys(config);
      const collections = declared.map(({ name, title }) => ({ name, title }));
      const warnings = examineErasureLog(config);
      const files = databaseFiles(config);
      const shown = inForce.filter(({ from }) => options.all === true || from === 'set');
      const data = { settings: inForce, files, collections, database, warnings, ...keysAsData(keys) };
      print(options.json, { ok: true, ...data }, () =>
        [
          'The settings are in order.',
          '',
          table(
            ['SETTING', 'FROM', 'VALUE'],
            shown.map(({ name, from, value }) => [name, from, value ?? '']),
          ),
          ...(options.all
            ? []
            : [`${inForce.length - shown.length} more have their defaults: --all shows them.`]),
          '',
          ...(files === null ? [] : [fileTable(files), '']),
          ...providerTable(config),
          collections.length === 0 ? 'No collections are declared.' : collectionTable(collections),
          '',
          ...keys.map(({ who, times }) => keysLine(who, times)),
          ...(database.sentence === null ? [] : [database.sentence]),
          ...findingLines(warnings),
        ].join('\n'),
      );
    });
}

interface CheckOptions extends JsonOption {
  readonly against?: boolean;
  readonly all?: boolean;
}

const helpText = `
"check <folder>" reads only the YAML files of that folder, one collection each,
and names every mistake with its file and line: it needs no settings, no
provider and no database. So does "check" where COLLECTIONS_DIR is the only
setting. Where none of IDP_ORIGIN, IDPS_FILE and API_AUDIENCE is set, "check"
takes the settings of the "dev" that runs in this folder.`;

/** Whoever sets anything else means a service, of which nothing may be missing. */
function setsOnlyCollections(environment: Environment): boolean {
  const set = Object.keys(settings)
    .map(environmentName)
    .filter((name) => environment[name]?.trim());
  return set.join() === 'COLLECTIONS_DIR';
}

function fileTable(files: Readonly<Record<string, string | null>>): string {
  const there = Object.entries(files).filter(([, path]) => path !== null);
  return table(
    ['FILE', 'PATH'],
    there.map(([name, path]) => [name.replaceAll('_', ' '), String(path)]),
  );
}

/** What the entries of IDPS_FILE come to; nothing where the settings themselves say it. */
function providerTable({ idpsFile, providers }: Config): readonly string[] {
  if (idpsFile === null) return [];
  const rows = providers.map(({ name, issuers, audiences }) => [
    name,
    issuers.join(' or '),
    audiences.join(' or '),
  ]);
  return [table(['PROVIDERS', 'ISSUER', 'AUDIENCE'], rows), ''];
}

function settingsInForce(environment: Environment) {
  return Object.entries(settings).map(([key, setting]) => {
    const text = settingText(key, setting, environment);
    const isDefault = !environment[environmentName(key)]?.trim();
    const isSecret = setting.secret && !isDefault && !text?.startsWith('sqlite:');
    return {
      name: environmentName(key),
      value: isSecret ? '(secret)' : text,
      from: isDefault ? ('default' as const) : ('set' as const),
    };
  });
}
