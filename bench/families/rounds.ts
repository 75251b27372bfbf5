import { loadavg } from 'node:os';
import { startPostgresServer } from '../shared/postgres.ts';
import { writeFigures, writeTables } from '../shared/report.ts';
import { choosePeers, type Stage } from '../shared/stage.ts';
import { callers, signTokens } from '../shared/tokens.ts';
import { createsTable, measureCreates } from './creates.ts';
import { deletesTable, measureDeletes } from './deletes.ts';
import { measurePages, pagesTable } from './pages.ts';
import type { FamiliesStage } from './service.ts';
import { measureStreams, streamsTable } from './streams.ts';

/** Each measures, and answers with its figures and their table. */
const parts = [
  part('creates', measureCreates, createsTable),
  part('pages', measurePages, pagesTable),
  part('deletes', measureDeletes, deletesTable),
  part('streams', measureStreams, streamsTable),
];

/** Measures records with parents: writes, lists, deletion with their parent, and streams. */
export async function measureFamilies(shared: Stage): Promise<string> {
  const { repeat, seconds, sizes } = shared.options;
  const chosen = choosePeers(parts, shared.options);
  const load = loadavg()[0]?.toFixed(2) ?? '';
  const tokens = await signTokens(shared.provider, callers);
  // It counts statements only where a database asks for it.
  const postgres = await startPostgresServer(shared.folder, [
    '-c',
    'shared_preload_libraries=pg_stat_statements',
    '-c',
    'pg_stat_statements.track=none',
  ]);
  const stage: FamiliesStage = { ...shared, tokens, postgres };
  try {
    const measured = [];
    for (const { name, measure } of chosen) measured.push({ name, ...(await measure(stage)) });
    const figures = Object.fromEntries(measured.map(({ name, figures: own }) => [name, own]));
    writeFigures('families', stage, { rounds: repeat, seconds, sizes, loadAverage: load }, figures);
    const how = `; the server on one core, the load and PostgreSQL on another; load average of the machine before: ${load}`;
    return writeTables(
      'families',
      stage,
      measured.map(({ text }) => text),
      how,
    );
  } finally {
    await postgres.stop();
  }
}

function part<Figures>(
  name: string,
  measure: (stage: FamiliesStage) => Promise<Figures>,
  tableOf: (figures: Figures) => string,
) {
  return {
    name,
    measure: async (stage: FamiliesStage) => {
      const figures = await measure(stage);
      return { figures, text: tableOf(figures) };
    },
  };
}
