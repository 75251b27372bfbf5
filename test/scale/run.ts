import { parseArgs } from 'node:util';
import type { Storage } from '../../src/storage/port.ts';
import { postgresDatabase } from '../support/databases/databases.ts';
import { documentedStatements, eventsInParts, recordsInParts } from '../support/databases/partitions.ts';
import { costRow, figureRow, sizesOf, table } from './report.ts';
import { collection, declared, Population, withoutIndexes } from './rows.ts';
import { type Cost, MeasuredPostgres } from './server.ts';
import { type Figures, measure, works } from './works.ts';

/**
 * `npm run scale -- --rows 10000000`: so many consumers, records and events in a real PostgreSQL, what they take on the disk, what the
 * statements of the service cost, and the same with the log and the records in partitions. It prints what docs/scale.md tells of. With
 * ten million it takes an hour on two cores, and 40 GB of disk.
 */
const { values } = parseArgs({ options: { rows: { type: 'string', default: '10000000' } } });
const population = new Population(Number(values.rows));
const declaredMore = { ...declared, index: [...declared.index, { name: 'seats', kind: 'number' as const }] };
const parts = { events: 30, records: 16 };
const postgres = await MeasuredPostgres.start();
const database = postgresDatabase(postgres.url);
let storage: Storage = await database.open();

const say = (text: string) => console.log(`${new Date().toISOString().slice(11, 19)} ${text}`);
const all = async (statements: readonly string[]) => {
  for (const statement of statements) await postgres.rows(statement);
};

/** Measures all of these works, and says of one that fails how. */
async function measureAll(heading: string, which: RegExp = /./): Promise<void> {
  // Sessions of their own: plans that were made for other tables are not what is asked for.
  await storage.close();
  storage = await database.open();
  const figures: Figures[] = [];
  for (const work of works.filter(({ title }) => which.test(title))) {
    try {
      figures.push(await measure(work, storage, population, postgres));
    } catch (error) {
      const cause = (error as Error).cause as Error | undefined;
      say(`${work.title} FAILS: ${(error as Error).message} ${cause?.message ?? ''}`);
    }
  }
  say(
    `\n${table(heading, ['p50 ms', 'p99 ms', 'CPU us of PostgreSQL', 'of this process', 'WAL bytes'], figures.map(figureRow))}`,
  );
}

async function costs(
  heading: string,
  measured: Readonly<Record<string, () => Promise<unknown>>>,
): Promise<void> {
  const rows: [string, Cost][] = [];
  for (const [title, work] of Object.entries(measured)) rows.push([title, await postgres.costOf(work)]);
  say(`\n${table(heading, ['seconds', 'CPU s of PostgreSQL', 'WAL MB'], rows.map(costRow))}`);
}

async function fill(): Promise<void> {
  await storage.records.prepare([declared]);
  await postgres.setDurable(false);
  const { seconds } = await postgres.costOf(() => withoutIndexes(postgres, () => population.fill(postgres)));
  await postgres.rows('vacuum analyze');
  await postgres.setDurable(true);
  say(`filled in ${Math.round(seconds)} s`);
  if ((await storage.records.find(collection, population.idOf(population.count))) === null)
    throw new Error('the rows are not those that are asked for');
}

/** What the sweeper does once a minute, until a tenth of the log is gone. */
async function sweep(from: number, to: number): Promise<void> {
  const times = { before: population.at(to), ahead: Number.MAX_SAFE_INTEGER };
  let gone = 0;
  for (let some = 1; some > 0; gone += some) some = await storage.events.prune(times, 1_000);
  if (Math.abs(gone - (to - from)) > 2_000) throw new Error(`${gone} events were deleted`);
}

async function indexesOfRecords(): Promise<readonly string[]> {
  const rows = await postgres.rows<{ definition: string }>(
    `select pg_get_indexdef(indexrelid) as definition from pg_index where indrelid = 'records'::regclass and not indisprimary`,
  );
  return rows.map(({ definition }) => definition.replace(' ON ONLY ', ' ON '));
}

const sizes = async (heading: string, tables: readonly string[]) => {
  const rows = [];
  for (const name of tables) rows.push(...(await sizesOf(postgres, name)));
  say(`\n${table(heading, ['rows', 'MB', 'bytes a row'], rows)}`);
};

try {
  await fill();
  await sizes('as filled', ['consumers', 'records', 'events', 'usage']);
  await postgres.rows('reindex table usage');
  await sizes('usage with its index made anew', ['usage']);
  await measureAll('one table each');
  await costs('another declared index', {
    'made beside those who write': () => storage.records.prepare([declaredMore]),
  });
  await storage.records.prepare([declared]);
  const tenth = Math.floor(population.count / 10);
  await costs(`${tenth} old events`, {
    'deleted by the sweeper': () => sweep(0, tenth),
    'vacuum after it': () => postgres.rows('vacuum events'),
  });
  await sizes('the log after it', ['events']);

  const bound = population.count * 2 + 100_000;
  await costs('the log becomes a part, as it is', {
    before: () => all(documentedStatements('1. Prepare', { bound })),
    'while it is locked': () => all(documentedStatements('2. Make the partitions', { bound })),
    'the next one': () =>
      all(documentedStatements('3. Add the next partition', { bound, next: bound + population.count })),
  });
  await measureAll('the log in two parts', /event|position|POST|eras/);

  await costs('the log in parts', { copied: () => all(eventsInParts(population.count, parts.events)) });
  await measureAll(`the log in ${parts.events + 1} parts`, /event|position|POST|eras/);
  const aPart = Math.ceil(population.count / parts.events);
  // The first parts have been swept.
  const [swept, dropped] = [Math.ceil(tenth / aPart), Math.ceil(tenth / aPart) + 1];
  await costs(`${aPart} old events of ${parts.events} parts`, {
    'deleted by the sweeper': () => sweep(Math.max(tenth, swept * aPart), dropped * aPart),
  });
  await costs('the next part', {
    'detached and dropped': () =>
      all(
        documentedStatements('4. Drop an old partition', { bound: (dropped + 1) * aPart }).map((one) =>
          one.replaceAll('events_1', `day_${dropped}`),
        ),
      ),
  });

  for (const by of ['owner', 'id'] as const) {
    const indexes = await indexesOfRecords();
    await postgres.setDurable(false);
    await costs(`records in ${parts.records} parts by ${by}`, {
      copied: () => all(recordsInParts(by, parts.records, indexes)),
    });
    await postgres.setDurable(true);
    await measureAll(`records in ${parts.records} parts by ${by}`, /record|list|field|POST|PATCH|eras/);
    await storage.records.prepare([declaredMore]).then(
      () => say('another declared index is made'),
      (error) => say(`another declared index FAILS: ${error.message}`),
    );
  }
} finally {
  await storage.close();
  await postgres.stop();
}
