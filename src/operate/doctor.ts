import { OperatorError } from '../base/errors.ts';
import { type Finding, failed, passed } from '../base/finding.ts';
import { readDeclaredCollections } from '../compose/declared-collections.ts';
import type { Config } from '../config/settings.ts';
import { erasureLogFindings } from './check.ts';
import { databaseFindings, dataFolderFindings } from './doctor/database.ts';
import { portFindings } from './doctor/ports.ts';
import { providerFindings } from './doctor/provider.ts';
import { transportFindings } from './doctor/transport.ts';

/** Checks everything between the settings and a first 200, in the order in which a request needs it. */
export async function examineService(config: Config): Promise<readonly Finding[]> {
  const collections = await collectionsFinding(config);
  const [provider, database, ports] = await Promise.all([
    providerFindings(config),
    databaseFindings(config, collections.result === 'pass'),
    portFindings(config),
  ]);
  return [
    collections,
    ...provider,
    ...database,
    ...dataFolderFindings(config),
    ...erasureLogFindings(config),
    ...transportFindings(config),
    ...ports,
  ];
}

async function collectionsFinding(config: Config): Promise<Finding> {
  const name = 'collections';
  try {
    const declared = await readDeclaredCollections(config);
    const names = declared.map((collection) => collection.name).join(', ');
    return passed(name, names === '' ? 'none are declared' : `${declared.length} declared: ${names}`);
  } catch (error) {
    if (!(error instanceof OperatorError)) throw error;
    return failed(name, { found: error.message, advice: 'See docs/collections.md for how to declare one.' });
  }
}
