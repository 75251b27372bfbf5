import { counted, percent, shown, table } from '../shared/markdown.ts';
import type { Durability } from './durability.ts';
import type { RecordsSummary } from './summary.ts';
import { type Work, type Written, works } from './work.ts';

const headings: Readonly<Record<Work, string>> = {
  one: 'GET one record by its id',
  page: 'GET a page of 50, sorted by a declared field',
  create: 'POST a record',
};

const inShort: Readonly<Record<Work, string>> = { one: 'GET one', page: 'GET a page', create: 'POST' };

export function workTable({ places }: RecordsSummary, work: Work): string {
  const columns =
    'records, requests/s, p50 ms, p99 ms, CPU µs a request, of the database, spread of CPU, memory MB';
  const rows = places.map(({ title, size, works: all }) => {
    const own = all[work];
    const database = own.databaseCpuMicroseconds.value;
    return [
      title,
      counted(size),
      shown(own.requestsPerSecond.value),
      shown(own.p50Ms.value),
      shown(own.p99Ms.value),
      shown(own.cpuMicroseconds.value),
      database === 0 ? 'none' : shown(database),
      percent(own.cpuMicroseconds.spread),
      shown(own.residentMegabytes.value),
    ];
  });
  return table(`**${headings[work]}**`, columns.split(', '), rows);
}

export function growthTable({ growth }: RecordsSummary): string {
  const rows = growth.flatMap(({ title, from, to, cost, time }) =>
    works.map((work) => {
      const own = [cost[work].value.toFixed(2), percent(cost[work].spread), time[work].value.toFixed(2)];
      return [`${title}, ${inShort[work]}`, `${counted(from)} to ${counted(to)}`, ...own];
    }),
  );
  return table(
    '**What a request costs with the most records, against the fewest** (1.00: the same)',
    ['records', "by CPU, the database's too", 'its spread', 'by time'],
    rows,
  );
}

export function durabilityTable({ places, durability }: RecordsSummary): string {
  const rows = Object.entries(durability).map(([name, found]) => {
    const title = places.find(({ peer }) => peer === name)?.title ?? name;
    const syncs = found.syncsPerWrite === null ? 'not looked at' : found.syncsPerWrite.toFixed(1);
    const lost = `${found.lost} of ${counted(found.answered)}`;
    return [title, `${found.survived} of ${found.kills}`, syncs, lost, verdict(found)];
  });
  const columns = [
    'there after kill -9 at the answer',
    'syncs of the disk for each write',
    'lost when stopped with SIGTERM after the load',
    'durable',
  ];
  return table('**Is a record that was answered with 201 there to stay?**', columns, rows);
}

function verdict({ kills, survived, syncsPerWrite, lost }: Durability & Written): string {
  if (survived < kills || lost > 0) return 'no: lost with the process';
  if (syncsPerWrite === null) return 'not known: outlives the process';
  return syncsPerWrite >= 1 ? 'yes' : 'no: outlives the process, not a loss of power';
}
