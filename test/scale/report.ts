import type { Cost, MeasuredPostgres } from './server.ts';
import type { Figures } from './works.ts';

export function table(
  heading: string,
  columns: readonly string[],
  rows: readonly (readonly string[])[],
): string {
  const alignment = ['---', ...columns.map(() => '---:')];
  const lines = [[heading, ...columns], alignment, ...rows].map((cells) => `| ${cells.join(' | ')} |`);
  return `${lines.join('\n')}\n`;
}

export const figureRow = ({ title, p50Ms, p99Ms, ...figures }: Figures): readonly string[] => {
  const { databaseCpuUs, ownCpuUs, walBytes } = figures;
  return [title, p50Ms.toFixed(2), p99Ms.toFixed(2), ...[databaseCpuUs, ownCpuUs, walBytes].map(counted)];
};

export const costRow = ([title, { seconds, cpuSeconds, walBytes }]: readonly [string, Cost]) => [
  title,
  ...[seconds.toFixed(3), cpuSeconds.toFixed(2), (walBytes / 1e6).toFixed(2)],
];

export async function sizesOf(
  postgres: MeasuredPostgres,
  name: string,
): Promise<readonly (readonly string[])[]> {
  const rows = await postgres.value(`select count(*) from ${name}`);
  const inParts = (relation: string) =>
    `select sum(pg_table_size(relid)) from pg_partition_tree('${relation}') where isleaf`;
  const indexes = await postgres.rows<{ name: string }>(
    `select indexrelid::regclass::text as name from pg_index where indrelid = '${name}'::regclass order by 1`,
  );
  const shown: string[][] = [];
  for (const relation of [name, ...indexes.map((index) => index.name)]) {
    const bytes =
      (await postgres.value(inParts(relation))) ||
      (await postgres.value(`select pg_table_size('${relation}')`));
    shown.push([relation, counted(rows), (bytes / 1e6).toFixed(0), (bytes / rows).toFixed(0)]);
  }
  return shown;
}

function counted(value: number): string {
  return Math.round(value).toLocaleString('en');
}
