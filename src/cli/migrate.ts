import type { Command } from 'commander';
import type { StorageConfig } from '../config/settings.ts';
import type { MigrationPlan, PlanVerdict } from '../storage/schema-state.ts';
import { type Flags, print, printing, table } from './output.ts';
import { withProgress } from './progress.ts';
import type { CommandSettings } from './settings.ts';

type MigrateOptions = Flags<'plan' | 'contract'>;

export function addTo(program: Command, settings: CommandSettings): void {
  printing(
    program,
    'migrate',
    'migrate the schema of the database to this release; processes of older releases keep working',
  )
    .option('--plan', 'only print what would be done; change nothing')
    .option(
      '--contract',
      'remove what only older releases need; run it when no older release runs or will run again; this cannot be undone',
    )
    .action(async (options: MigrateOptions) => {
      const config = await settings.ofStorage();
      if (options.plan) return showPlan(config, options.json);
      const { migrateDatabase } = await import('../compose/open-storage.ts');
      const kind = options.contract ? 'contract' : 'expand';
      const done = await withProgress((begin) => migrateDatabase(config, kind, { begin }));
      const steps = done.map(({ version, kind, what }) => ({ version, kind, what }));
      print(options.json, { done: steps }, () =>
        steps.length === 0 ? 'There is nothing to do.' : `Done.\n\n${stepTable(steps)}`,
      );
    });
}

async function showPlan(config: StorageConfig, json: boolean | undefined): Promise<void> {
  const { planMigration } = await import('../compose/read-storage.ts');
  const plan = await planMigration(config);
  if (plan === null) {
    const sentence = 'There is no database yet: the first start makes it.';
    print(json, { verdict: 'rolling', sentence, version: 0, steps: [] }, () => `rolling: ${sentence}`);
    return;
  }
  const { verdict, version, oldest, newest, steps } = plan;
  const sentence = sentenceOn(plan);
  print(json, { verdict, sentence, version, oldest, newest, steps }, () =>
    [`${verdict}: ${sentence}`, ...(steps.length === 0 || version === 0 ? [] : ['', stepTable(steps)])].join(
      '\n',
    ),
  );
}

function sentenceOn({ verdict, version, newest }: MigrationPlan): string {
  if (version === 0) return 'The database is empty: the first start makes its tables.';
  if (version > newest)
    return `The schema has version ${version}, of a newer release. This release knows versions up to ${newest} and may run beside it.`;
  return sentences[verdict];
}

const sentences: Readonly<Record<PlanVerdict, string>> = {
  'nothing to do': 'The schema is that of this release.',
  rolling:
    'Replace one process after the other. The first start of this release, or "npx vestibule migrate", migrates the schema; older processes keep working.',
  'rolling, then contract':
    'Replace one process after the other. The first start of this release, or "npx vestibule migrate", migrates the schema; older processes keep working. When no older release runs or will run again, run "npx vestibule migrate --contract".',
  contract:
    'The schema has all that this release needs. When no older release runs or will run again, run "npx vestibule migrate --contract".',
};

function stepTable(steps: MigrationPlan['steps']): string {
  return table({ VERSION: 'version', KIND: 'kind', WHAT: 'what' }, steps);
}
