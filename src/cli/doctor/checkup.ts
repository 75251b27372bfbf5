import { OperatorError } from '../../base/errors.ts';
import { type Finding, failed, passed, skipped } from '../../base/finding.ts';
import { loadConfig, SettingsError } from '../../config/load.ts';
import type { Config } from '../../config/settings.ts';
import type { CommandSettings } from '../settings.ts';
import { examineDataFolder, examineErasureLog } from './data-files.ts';
import { examineDatabase } from './database.ts';
import { examinePorts } from './ports.ts';
import { examineProviders } from './provider.ts';
import { examineTransport } from './transport.ts';
import { examineWebhooks } from './webhooks.ts';

/** Everything between the settings and a first 200, in the order in which it is needed. */
export async function checkUp(settings: CommandSettings): Promise<readonly Finding[]> {
  const { findings, config } = await readSettings(settings);
  if (config === null)
    return [...findings, ...afterSettings.map((name) => skipped(name, 'the settings come first'))];
  const collections = await readCollections(config);
  const [provider, database, webhooks, transport, ports] = await Promise.all([
    examineProviders(config),
    examineDatabase(config, collections.result === 'pass'),
    examineWebhooks(config),
    examineTransport(config),
    examinePorts(config),
  ]);
  const dataFiles = [...examineDataFolder(config), ...examineErasureLog(config)];
  return [
    ...findings,
    collections,
    ...provider,
    ...database,
    ...dataFiles,
    ...webhooks,
    ...transport,
    ...ports,
  ];
}

const afterSettings = ['collections', 'provider', 'database', 'transport', 'frontends', 'ports'];

async function readSettings(settings: CommandSettings): Promise<{
  readonly findings: readonly Finding[];
  readonly config: Config | null;
}> {
  let absent: string | undefined;
  try {
    const known = await settings.ofService();
    absent = known.absent;
    const config = await loadConfig(known.environment);
    return {
      findings: [passed('settings', known.from ?? 'all of them can be read and fit together')],
      config,
    };
  } catch (error) {
    if (!(error instanceof OperatorError)) throw error;
    const mistakes = error instanceof SettingsError ? error.mistakes : [error.message];
    const advice = `docs/config.md lists every setting${absent === undefined ? '' : `; and ${absent}`}.`;
    return { findings: mistakes.map((found) => failed('settings', { found, advice })), config: null };
  }
}

async function readCollections(config: Config): Promise<Finding> {
  const name = 'collections';
  try {
    const { readDeclaredCollections } = await import('../../app/declared-collections.ts');
    const declared = await readDeclaredCollections(config);
    const names = declared.map((collection) => collection.name).join(', ');
    return passed(name, names === '' ? 'none are declared' : `${declared.length} declared: ${names}`);
  } catch (error) {
    if (!(error instanceof OperatorError)) throw error;
    return failed(name, { found: error.message, advice: 'docs/collections.md tells how one is declared.' });
  }
}
