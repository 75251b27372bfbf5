import type { Durability } from './durability.ts';
import { mePerSecond } from './me-latency.ts';
import type { RecordsSummary } from './records-summary.ts';
import { type RecordWork, recordWorks, type Written } from './records-work.ts';
import { shown } from './table.ts';

const headings: Readonly<Record<RecordWork, string>> = {
  one: 'GET one record by its id',
  page: 'GET a page of 50, sorted by a declared field',
  create: 'POST a record',
};

const inShort: Readonly<Record<RecordWork, string>> = { one: 'GET one', page: 'GET a page', create: 'POST' };

/** The figures as Markdown: a table for each work, what the size of the table does to it, and GET /me beside writes. */
export function recordsTables(summary: RecordsSummary): string {
  const works = recordWorks.map((work) => workTable(summary, work));
  return [...works, growth(summary), me(summary), durability(summary)].join('\n');
}

function workTable({ places }: RecordsSummary, work: RecordWork): string {
  const rows = places.map(({ title, size, works }) => {
    const own = works[work];
    const database = own.databaseCpuMicroseconds.value;
    return [
      title,
      size.toLocaleString('en'),
      shown(own.requestsPerSecond.value),
      shown(own.p50Ms.value),
      shown(own.p99Ms.value),
      shown(own.cpuMicroseconds.value),
      database === 0 ? 'none' : shown(database),
      percent(own.cpuMicroseconds.spread),
      shown(own.residentMegabytes.value),
    ];
  });
  return `**${headings[work]}**

| | records | requests/s | p50 ms | p99 ms | CPU µs a request | of the database | spread of CPU | memory MB |
| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |
${rows.map(row).join('\n')}
`;
}

function growth({ growth: all }: RecordsSummary): string {
  const rows = all.flatMap(({ title, from, to, cost, time }) =>
    recordWorks.map((work) => {
      const sizes = `${from.toLocaleString('en')} to ${to.toLocaleString('en')}`;
      const own = [cost[work].value.toFixed(2), percent(cost[work].spread), time[work].value.toFixed(2)];
      return [`${title}, ${inShort[work]}`, sizes, ...own];
    }),
  );
  return `**What a request costs with the most records, against the fewest** (1.00: the same)

| | records | by CPU, the database's too | its spread | by time |
| --- | ---: | ---: | ---: | ---: |
${rows.map(row).join('\n')}
`;
}

function me({ places }: RecordsSummary): string {
  const rows = places.flatMap(({ title, size, me: own }) => {
    if (own === null) return [];
    const times = [own.aloneP50Ms, own.loadedP50Ms, own.aloneP99Ms, own.loadedP99Ms];
    const cells = times.map(({ value }) => shown(value));
    const lost = `${own.lost} of ${own.sent.toLocaleString('en')}`;
    const name = `${title}, ${size.toLocaleString('en')} records`;
    return [[name, ...cells, own.p99Ratio.value.toFixed(2), lost, shown(own.writesPerSecond.value)]];
  });
  return `**GET /me on the same process, ${mePerSecond} a second, without and with all the writes it can take**

| | p50 ms without | with | p99 ms without | with | ratio of p99 | lost | writes/s meanwhile |
| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |
${rows.map(row).join('\n')}
`;
}

function durability({ places, durability: all }: RecordsSummary): string {
  const rows = Object.entries(all).map(([name, found]) => {
    const title = places.find(({ peer }) => peer === name)?.title ?? name;
    const syncs = found.syncsPerWrite === null ? 'not looked at' : found.syncsPerWrite.toFixed(1);
    const lost = `${found.lost} of ${found.answered.toLocaleString('en')}`;
    return [title, `${found.survived} of ${found.kills}`, syncs, lost, verdict(found)];
  });
  return `**Is a record that was answered with 201 there to stay?**

| | there after kill -9 at the answer | syncs of the disk for each write | lost when stopped with SIGTERM after the load | durable |
| --- | ---: | ---: | ---: | --- |
${rows.map(row).join('\n')}
`;
}

function verdict({ kills, survived, syncsPerWrite, lost }: Durability & Written): string {
  if (survived < kills || lost > 0) return 'no: lost with the process';
  if (syncsPerWrite === null) return 'not known: outlives the process';
  return syncsPerWrite >= 1 ? 'yes' : 'no: outlives the process, not a loss of power';
}

function percent(part: number): string {
  return `${Math.round(part * 100)} %`;
}

function row(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |`;
}
