import { type Config, environmentName, settings } from '../../config/settings.ts';
import { print, table } from '../output.ts';

/** For whoever writes declarations and runs no service: they need no provider to be right. */
export async function checkDeclarations(folder: string | null, json: boolean | undefined): Promise<void> {
  const { declaredIn } = await import('../../app/declarations.ts');
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
export async function checkAgainstRecords(config: Config, json: boolean | undefined): Promise<void> {
  const { judgeCollections } = await import('../../app/check.ts');
  const verdicts = await judgeCollections(config);
  const isBreaking = verdicts.some(({ verdict }) => verdict === 'breaking');
  print(json, { ok: !isBreaking, collections: verdicts }, () =>
    verdicts.length === 0
      ? 'No collections are declared, and there are no records.'
      : verdicts.map(({ sentence }) => sentence).join('\n'),
  );
  if (isBreaking) process.exitCode = 1;
}

interface Named {
  readonly name: string;
  readonly title: string;
}

export function collectionTable(collections: readonly Named[]): string {
  return table(
    ['COLLECTIONS', 'TITLE'],
    collections.map(({ name, title }) => [name, title]),
  );
}
