import type { Command } from 'commander';
import { consumerPrefix } from '../base/addresses.ts';
import { OperatorError } from '../base/errors.ts';
import { loadConfig } from '../config/load.ts';
import type { Config } from '../config/settings.ts';
import type {
  IssuerChange,
  MappedCaller,
  Outlook,
  RenamingReport,
  Renamings,
} from '../consumer/rename-consumers.ts';
import { administer } from './database.ts';
import { readMapping } from './mapping-file.ts';
import { type JsonOption, print, printing, write } from './output.ts';
import type { CommandSettings } from './settings.ts';

interface RenamingOptions extends JsonOption {
  readonly from: string;
  readonly to: string;
  readonly mapping: string;
  readonly dryRun?: boolean;
}

/** `vestibule consumer migrate`: callers keep what they have when their provider is another one. No subject is printed or kept. */
export function addTo(consumer: Command, settings: CommandSettings): void {
  printing(consumer, 'migrate', 'let callers keep what they have when the provider changes')
    .requiredOption('--from <provider>', 'the provider before: its name in IDPS_FILE, or its issuer ("iss")')
    .requiredOption(
      '--to <provider>',
      'the provider from now on: its name, or its issuer; it must be configured',
    )
    .requiredOption('--mapping <file>', 'a line for each caller: {"old":"<subject>","new":"<subject>"}')
    .option('--dry-run', 'say what would become of each line, and change nothing')
    .addHelpText('after', helpText)
    .action(async (options: RenamingOptions) => {
      const { environment, from } = await settings.ofService();
      if (from !== undefined) write(`Settings: ${from}.\n`, process.stderr);
      const config = await loadConfig(environment);
      const issuers = { from: formerIssuer(config, options.from), to: issuerNow(config, options.to) };
      if (issuers.from === issuers.to)
        throw new OperatorError(
          '--from and --to name the same issuer. Name the provider before with --from.',
        );
      if (config.providers.some((provider) => provider.issuers.includes(issuers.from)))
        write(
          `Tokens of "${issuers.from}" are still taken: whoever comes with one begins anew under the old pseudonym. Take that provider out of the settings first.\n`,
          process.stderr,
        );
      const report = options.dryRun
        ? await examine(config, issuers, options.mapping)
        : await administer(config, 'consumer migrate', ({ renamings }) =>
            run(renamings(issuers), options.mapping, `${options.from} to ${options.to}`),
          );
      print(options.json, { dry_run: options.dryRun === true, ...told(report) }, () =>
        sentence(report, options),
      );
      if (report.taken.length > 0) throw refusalOf(report.taken, options.dryRun === true ? 'dry' : 'late');
    });
}

const helpText = `
A subject is the "sub" of a caller's tokens: "old" at the provider before, "new"
at the one from now on. Stop the service, put the new provider into the
settings in the place of the old one, try it with --dry-run, do it, start the
service, and delete the mapping, which names people. docs/operations.md, "When
the provider changes", has all of it.`;

/** The database is only looked at, so that not even its schema is another one afterwards. */
async function examine(config: Config, issuers: IssuerChange, file: string): Promise<RenamingReport> {
  const { lookAhead } = await import('../inspection/renaming.ts');
  return lookAhead(config, issuers, (outlook) => outlook.examine(readCallers(outlook, file)));
}

async function run(renamings: Renamings, file: string, name: string): Promise<RenamingReport> {
  const callers = readCallers(renamings, file);
  const outlook = await renamings.examine(callers);
  // Before anything is changed. Who gets data of its own only after that is left out.
  if (outlook.taken.length > 0) throw refusalOf(outlook.taken, 'early');
  return renamings.rename(callers, name);
}

/** Nobody twice: two who become one could never be told apart again. */
function readCallers(outlook: Outlook, file: string): readonly MappedCaller[] {
  const lineOf = new Map<string, number>();
  const callers: MappedCaller[] = [];
  for (const { line, ...subjects } of readMapping(file)) {
    const caller = outlook.mapped(line, subjects);
    for (const [name, id] of [
      ['old', caller.from],
      ['new', caller.to],
    ] as const) {
      const before = lineOf.get(id);
      if (before !== undefined)
        throw new OperatorError(
          `Lines ${before} and ${line} of the mapping have the same "${name}" subject. Each may be in one line only; nothing was changed.`,
        );
      lineOf.set(id, line);
    }
    callers.push(caller);
  }
  if (callers.length > 0) return callers;
  throw new OperatorError(
    'The mapping has no lines. Write one for each caller: {"old":"<subject>","new":"<subject>"}.',
  );
}

/** Any issuer, because it may be gone from the settings. */
function formerIssuer(config: Config, given: string): string {
  const named = issuerOfName(config, given, '--from');
  if (named !== null) return named;
  if (URL.canParse(given)) return given;
  throw noSuchProvider(config, given, '--from');
}

/** Only one whose tokens are taken: what is kept for any other could never be reached again. */
function issuerNow(config: Config, given: string): string {
  const named = issuerOfName(config, given, '--to');
  if (named !== null) return named;
  if (config.providers.some(({ issuers }) => issuers.includes(given))) return given;
  throw noSuchProvider(config, given, '--to');
}

function issuerOfName(config: Config, given: string, option: string): string | null {
  const provider = config.providers.find(({ name }) => name === given);
  if (provider === undefined) return null;
  const [first, ...others] = provider.issuers;
  if (others.length === 0) return first;
  // Pseudonyms are made with the exact text, and only the tokens have it.
  const either = provider.issuers.map((issuer) => `"${issuer}"`).join(' or ');
  throw new OperatorError(
    `"${given}" may issue tokens as ${either}, and their callers are not the same. Give ${option} the "iss" that its tokens have.`,
  );
}

function noSuchProvider({ providers }: Config, given: string, option: string): OperatorError {
  const known = providers.map(({ name, issuers }) => `${name} (${issuers.join(', ')})`).join('; ');
  return new OperatorError(
    `${option} must name a provider or its issuer; found "${given}". There are: ${known}.`,
  );
}

function told({ counts: { due, done, unknown, taken, records }, taken: lines }: RenamingReport) {
  return { migrated: due, already_migrated: done, unknown, taken, records, taken_lines: lines };
}

function sentence(
  { counts: { due, done, unknown, records } }: RenamingReport,
  { dryRun }: RenamingOptions,
): string {
  const others = `${done} were migrated before, and of ${unknown} nothing is kept.`;
  return dryRun
    ? `${due} callers would be migrated; ${others} Nothing was changed.`
    : `${due} callers are migrated, with ${records} records; ${others} The mapping names people: delete it.`;
}

const mostShown = 20;

function refusalOf(lines: readonly number[], when: 'dry' | 'early' | 'late'): OperatorError {
  const shown = lines.slice(0, mostShown).join(', ') + (lines.length > mostShown ? ', ...' : '');
  const where =
    lines.length === 1 ? `Line ${shown} of the mapping names` : `Lines ${shown} of the mapping name`;
  const done = { dry: '', early: ' Nothing was changed.', late: ' All others are done.' }[when];
  return new OperatorError(
    `${where} callers who have data under their new pseudonym already, and two callers do not become one.${done} Take the lines out, or have those callers erase what they have there (DELETE ${consumerPrefix}/me), and run it again.`,
  );
}
