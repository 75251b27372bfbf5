import { OperatorError } from '../../base/errors.ts';
import { type Finding, failed, passed, skipped } from '../../base/finding.ts';
import { type Environment, loadConfig, SettingsError } from '../../config/load.ts';
import type { Config } from '../../config/settings.ts';
import { examineDatabase } from './database.ts';
import { examinePorts } from './ports.ts';
import { examineProvider } from './provider.ts';
import { examineTransport } from './transport.ts';

/** Everything between the settings and a first 200, in the order in which it is needed. */
export async function checkUp(environment: () => Environment): Promise<readonly Finding[]> {
  const { findings, config } = readSettings(environment);
  if (config === null)
    return [...findings, ...afterSettings.map((name) => skipped(name, 'the settings come first'))];
  const collections = await readCollections(config);
  const [provider, database, transport, ports] = await Promise.all([
    examineProvider(config),
    examineDatabase(config, collections.result === 'pass'),
    examineTransport(config),
    examinePorts(config),
  ]);
  return [...findings, collections, ...provider, ...database, ...transport, ...ports];
}

const afterSettings = ['collections', 'provider', 'database', 'transport', 'frontends', 'ports'];

function readSettings(environment: () => Environment): {
  readonly findings: readonly Finding[];
  readonly config: Config | null;
} {
  try {
    const config = loadConfig(environment());
    return { findings: [passed('settings', 'all of them can be read and fit together')], config };
  } catch (error) {
    if (!(error instanceof OperatorError)) throw error;
    const mistakes = error instanceof SettingsError ? error.mistakes : [error.message];
    const findings = mistakes.map((mistake) =>
      failed('settings', { found: mistake, advice: 'docs/config.md lists every setting.' }),
    );
    return { findings, config: null };
  }
}

async function readCollections(config: Config): Promise<Finding> {
  const name = 'collections';
  try {
    const { readDeclaredCollections } = await import('../../administration.ts');
    const declared = await readDeclaredCollections(config);
    const names = declared.map((collection) => collection.name).join(', ');
    return passed(name, names === '' ? 'none are declared' : `${declared.length} declared: ${names}`);
  } catch (error) {
    if (!(error instanceof OperatorError)) throw error;
    return failed(name, { found: error.message, advice: 'docs/collections.md tells how one is declared.' });
  }
}
