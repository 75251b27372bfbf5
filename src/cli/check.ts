import { type Command, Option } from 'commander';
import { checkFiles, databaseFiles } from '../config/files.ts';
import { type Environment, loadCollectionsDir, SettingsError, settingsInForce } from '../config/load.ts';
import { type Config, environmentName, settings } from '../config/settings.ts';
import type { StoredKeys } from '../operate/check.ts';
import type { declaredMatrices } from '../operate/declarations.ts';
import { type Flags, findingLines, print, printing, table, write } from './output.ts';
import type { CommandSettings } from './settings.ts';

type CheckOptions = Flags<'against' | 'acceptWider' | 'matrix' | 'all'>;

const helpText = `
"check <folder>" reads only the YAML files of that folder, one collection each,
and reports every mistake with its file and line: it needs no settings, no
provider and no database. So does "check" if COLLECTIONS_DIR is the only
setting. If none of IDP_ORIGIN, IDPS_FILE and API_AUDIENCE is set, "check"
uses the settings of the "dev" that runs in this folder.

"check --matrix" prints one table for each collection: what each role may do in
each state. It reads only the files of the collections.`;

export function addTo(program: Command, commandSettings: CommandSettings): void {
  printing(
    program,
    'check',
    "check the settings and the collections, and show them and the age of the provider's keys",
  )
    .argument(
      '[folder]',
      'check only the collections of this folder (*.yaml, *.yml); needs no settings and no provider',
    )
    .option('--against', 'compare the collections with the records in the database; needs all settings')
    .option('--accept-wider', 'with --against: do not fail if a role may do more than before')
    .addOption(
      new Option('--matrix', 'print what each role may do with a record in each state').conflicts('against'),
    )
    .option('--all', 'also show the settings with default values')
    .addHelpText('after', helpText)
    .action(async (folder: string | undefined, options: CheckOptions) => {
      const given = commandSettings.given();
      if (options.matrix) return printMatrices(folder ?? loadCollectionsDir(given), options.json);
      // A folder of declarations can be checked without a service: any other setting means that there is a service.
      const isOnlyFolder = folder !== undefined || settingsIn(given).join() === 'COLLECTIONS_DIR';
      if (!options.against && isOnlyFolder)
        return checkDeclarations(folder ?? loadCollectionsDir(given), options.json);
      const changes = folder === undefined ? {} : { COLLECTIONS_DIR: folder };
      const { config, environment, from } = await commandSettings
        .ofService(changes)
        .catch(orNameFolder(given, options));
      if (from !== undefined) write(`Settings: ${from}.\n`, process.stderr);
      checkFiles(config);
      return options.against ? checkAgainstRecords(config, options) : show(config, environment, options);
    });
}

function settingsIn(environment: Environment): readonly string[] {
  return Object.keys(settings)
    .map(environmentName)
    .filter((name) => environment[name]?.trim());
}

/** Without any settings the operator may want to check only declarations: adds that advice. */
function orNameFolder(environment: Environment, { against }: CheckOptions): (error: unknown) => never {
  return (error) => {
    if (!(error instanceof SettingsError) || against || settingsIn(environment).length > 0) throw error;
    const advice =
      'To check only declarations of collections, name their folder: "npx vestibule check collections".';
    throw new SettingsError([...error.mistakes, advice]);
  };
}

async function checkDeclarations(folder: string | null, json: boolean | undefined): Promise<void> {
  const { declaredIn } = await import('../operate/declarations.ts');
  const collections = declaredIn(folder).map(({ name, title }) => ({ name, title }));
  print(json, { ok: true, settings: null, collections, database: null, provider_keys: null }, () =>
    [
      'The collections are in order.',
      '',
      collectionTable(collections),
      '',
      'The settings were not checked. To check them, set IDP_ORIGIN and API_AUDIENCE and run "npx vestibule check".',
    ].join('\n'),
  );
}

async function printMatrices(folder: string | null, json: boolean | undefined): Promise<void> {
  const { declaredMatrices } = await import('../operate/declarations.ts');
  const collections = declaredMatrices(folder);
  print(json, { ok: true, collections }, () => collections.map(matrixText).join('\n\n'));
}

type Matrix = ReturnType<typeof declaredMatrices>[number];
type Row = Matrix['rows'][number];

/** One line for each role and verb, so that a change of access is one line of a diff. */
function matrixText({ name, title, states, rows, effects }: Matrix): string {
  const columnOf = (state: (typeof states)[number]) => {
    return [state ?? '(no states)', (row: Row) => (row.states.includes(state) ? 'yes' : '-')] as const;
  };
  const columns = { ROLE: 'role', MAY: 'verb', ...Object.fromEntries(states.map(columnOf)) } as const;
  const allowed = rows.filter((row) => row.states.length > 0);
  const effectTable = table({ ACTION: 'action', FROM: 'from', TO: 'to', EFFECT: effectText }, effects);
  return [`${name}: ${title}`, table(columns, allowed), ...(effects.length === 0 ? [] : [effectTable])].join(
    '\n',
  );
}

function effectText(effect: Matrix['effects'][number]): string {
  const words = (['sets', 'clears', 'grants', 'revokes'] as const).filter((word) => effect[word].length > 0);
  return words.map((word) => `${word} ${effect[word].join(' and ')}`).join(', ');
}

/** Fails if a declaration breaks stored records or gives a role more access, so that it can run before a deployment. */
async function checkAgainstRecords(config: Config, { json, acceptWider }: CheckOptions): Promise<void> {
  const { judgeCollections } = await import('../operate/check.ts');
  const verdicts = await judgeCollections(config);
  const isBreaking = verdicts.some(({ verdict }) => verdict === 'breaking');
  const isTooWide = acceptWider !== true && verdicts.some(({ wider }) => wider.length > 0);
  const ok = !isBreaking && !isTooWide;
  const advice = isTooWide
    ? ['A role may do more than before. Narrow its access, or accept the change with --accept-wider.']
    : [];
  print(json, { ok, collections: verdicts }, () =>
    verdicts.length === 0
      ? 'No collections are declared, and there are no records.'
      : [...verdicts.map(({ sentence }) => sentence), ...advice].join('\n'),
  );
  if (!ok) process.exitCode = 1;
}

async function show(config: Config, environment: Environment, { json, all }: CheckOptions): Promise<void> {
  const { checkService } = await import('../operate/check.ts');
  const { collections, database, keys, warnings } = await checkService(config);
  const inForce = settingsInForce(environment);
  const files = databaseFiles(config);
  const shown = inForce.filter(({ from }) => all === true || from === 'set');
  const [first, ...others] = keys;
  const keyData =
    others.length === 0
      ? { provider_keys: first?.times ?? null }
      : { providers: Object.fromEntries(keys.map(({ name, times }) => [name, times])) };
  const data = { ok: true, settings: inForce, files, collections, database, warnings, ...keyData };
  const givenFiles = Object.entries(files ?? {}).filter(([, path]) => path !== null);
  const fileTable = table({ FILE: ([name]) => name.replaceAll('_', ' '), PATH: 1 }, givenFiles);
  const providerTable = table(
    {
      PROVIDERS: 'name',
      ISSUER: ({ issuers }) => issuers.join(' or '),
      AUDIENCE: ({ audiences }) => audiences.join(' or '),
    },
    config.providers,
  );
  print(json, data, () =>
    [
      'The settings are in order.',
      '',
      table({ SETTING: 'name', FROM: 'from', VALUE: ({ value }) => value ?? '' }, shown),
      ...(all
        ? []
        : [`${inForce.length - shown.length} more settings have default values. Show them with --all.`]),
      '',
      ...(files === null ? [] : [fileTable, '']),
      ...(config.idpsFile === null ? [] : [providerTable, '']),
      collections.length === 0 ? 'No collections are declared.' : collectionTable(collections),
      '',
      ...keys.map((one) => keysLine(one, others.length > 0)),
      ...(database.sentence === null ? [] : [database.sentence]),
      ...findingLines(warnings),
    ].join('\n'),
  );
}

function collectionTable(collections: readonly { readonly name: string; readonly title: string }[]): string {
  return table({ COLLECTIONS: 'name', TITLE: 'title' }, collections);
}

function keysLine({ name, times }: StoredKeys, isOneOfSeveral: boolean): string {
  const who = isOneOfSeveral ? `"${name}"` : 'the provider';
  if (times === null)
    return `The database has no readable keys of ${who}. "npx vestibule serve" fetches them when it starts.`;
  return `The stored keys of ${who} are ${times.age_seconds} s old. The service fetches them again in ${times.next_fetch_in_seconds} s, and can use them for ${times.stale_seconds_left} s more.`;
}
