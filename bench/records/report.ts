import { mePerSecond } from '../me-under-load/latency.ts';
import { meTable } from '../me-under-load/table.ts';
import { counted } from '../shared/markdown.ts';
import { writeFigures, writeTables } from '../shared/report.ts';
import { type Rounds, samplesOf } from '../shared/rounds.ts';
import type { Stage } from '../shared/stage.ts';
import { callers } from '../shared/tokens.ts';
import type { Durability } from './durability.ts';
import type { Place, RecordsPeer } from './peer.ts';
import { type RolesPlace, rolesTable } from './roles.ts';
import { summarise } from './summary.ts';
import { durabilityTable, growthTable, workTable } from './table.ts';
import { type RecordsRound, works } from './work.ts';

/** Writes what was measured of records as JSON and as Markdown, and answers with the Markdown. */
export function writeRecordsReport(
  rounds: Rounds<Place, RecordsRound>,
  durability: ReadonlyMap<RecordsPeer, Durability>,
  roles: readonly RolesPlace[],
  stage: Stage,
): string {
  const { repeat, seconds, sizes } = stage.options;
  const summary = summarise(rounds, durability);
  const samples = samplesOf(rounds, ({ peer, size }) => ({ peer: peer.name, size }));
  const settings = { rounds: repeat, seconds, sizes, callers, mePerSecond };
  writeFigures('records', stage, settings, { ...summary, samples, roles });
  const me = summary.places.flatMap(({ title, size, me: own }) =>
    own === null ? [] : [[`${title}, ${counted(size)} records`, own] as const],
  );
  const tables = [
    ...works.map((work) => workTable(summary, work)),
    growthTable(summary),
    rolesTable(roles),
    meTable('writes', me),
    durabilityTable(summary),
  ];
  const how = '; the server on one core, the load on another, PostgreSQL on that of the load';
  return writeTables('records', stage, tables, how);
}
