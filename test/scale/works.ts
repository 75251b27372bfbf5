import type { Storage } from '../../src/storage/port.ts';
import type { TestOperation } from '../support/databases/batch-rules.ts';
import { batchesOf, runBatch } from '../support/databases/batches.ts';
import { erasureOf, newQuery, noUsage } from '../support/databases/records.ts';
import { collection, declared, type Population } from './rows.ts';
import type { MeasuredPostgres } from './server.ts';

/** The calls of the service to its storage, one after the other. */
export interface Work {
  readonly title: string;
  readonly count: number;
  run(storage: Storage, population: Population): Promise<unknown>;
}

const anywhere = (count: number) => 1 + Math.floor(Math.random() * count);
let written = 0;

const ofOwner = (population: Population) =>
  newQuery({ collection, owner: population.ownerOf(anywhere(population.count)), limit: 50 });

/** A POST: the caller and its count are loaded, the record, the count and the event are written. */
function creation(population: Population): TestOperation {
  written += 1;
  // Owners take turns: none is twice in a batch.
  const record = { ...population.record(population.count + written), owner: population.ownerOf(written * 7) };
  const { owner } = record;
  const usage = { ...noUsage, owner, collection, records: 1 };
  return {
    kind: 'plain',
    keys: { consumers: [{ id: owner }], usage: [{ owner, collection }] },
    changes: {
      newRecords: [record],
      changedUsage: [usage],
      events: [{ ...population.event(population.count + written), owner }],
    },
  };
}

function change(population: Population): TestOperation {
  const record = population.record(anywhere(population.count));
  const { owner, id } = record;
  const usage = { ...noUsage, owner, collection, records: 0 };
  return {
    kind: 'plain',
    keys: { consumers: [{ id: owner }], usage: [{ owner, collection }], records: [{ collection, id }] },
    changes: { changedRecords: [{ ...record, updatedAt: Date.now() }], changedUsage: [usage] },
  };
}

export const works: readonly Work[] = [
  {
    title: 'a consumer, by its pseudonym',
    count: 3_000,
    run: (storage, all) => storage.consumers.find(all.ownerOf(anywhere(all.count))),
  },
  {
    title: 'one record, by its id',
    count: 3_000,
    run: async (storage, all) => storage.records.find(collection, all.idOf(anywhere(all.count))),
  },
  {
    title: 'a list of an owner (10 records), newest first',
    count: 3_000,
    run: (storage, all) =>
      storage.records.list({ ...ofOwner(all), sort: { field: 'created_at', descending: true } }),
  },
  {
    title: 'the same, by a declared field',
    count: 3_000,
    run: (storage, all) =>
      storage.records.list({ ...ofOwner(all), sort: { field: declared.index[0], descending: false } }),
  },
  {
    title: 'POST, alone in its batch',
    count: 1_000,
    run: (storage, all) => runBatch(storage, [creation(all)]),
  },
  {
    title: 'POST, 32 in a batch (figures of the batch)',
    count: 200,
    run: (storage, all) =>
      runBatch(
        storage,
        Array.from({ length: 32 }, () => creation(all)),
      ),
  },
  {
    title: 'PATCH, alone in its batch',
    count: 500,
    run: (storage, all) => runBatch(storage, [change(all)]),
  },
  {
    title: 'the first and the last position',
    count: 2_000,
    run: (storage) => storage.events.extent(),
  },
  {
    title: '100 events of everybody, from anywhere',
    count: 1_000,
    run: (storage, all) => storage.events.list({ ...eventsOf(all), owner: null }),
  },
  {
    title: "an owner's events (10) from the first on",
    count: 2_000,
    run: (storage, all) => storage.events.list({ ...eventsOf(all), after: 0 }),
  },
  {
    title: "an owner's events of the last day",
    count: 2_000,
    run: (storage, all) =>
      storage.events.list({ ...eventsOf(all), after: all.count - Math.floor(all.count / 30) }),
  },
  {
    title: 'erasing a caller with 10 records',
    count: 100,
    run: (storage, all) => {
      const owner = all.ownerOf(all.count - ++written);
      return storage.records.erase(owner, null, erasureOf(owner));
    },
  },
  {
    title: 'all counted, as check --against does',
    count: 2,
    run: (storage) => storage.records.counts(),
  },
  {
    title: 'who has the most, as consumer top does',
    count: 2,
    run: (storage) => storage.records.top(10),
  },
];

const eventsOf = (all: Population) => ({
  after: anywhere(all.count),
  until: Number.MAX_SAFE_INTEGER,
  owner: all.ownerOf(anywhere(all.count)),
  limit: 100,
});

export type Figures = Awaited<ReturnType<typeof measure>>;

const warmUp = 0.2;

export async function measure(
  { title, count: most, run }: Work,
  storage: Storage,
  population: Population,
  postgres: MeasuredPostgres,
) {
  await batchesOf(storage);
  const count = Math.min(most, population.owners);
  for (let number = 0; number < count * warmUp; number += 1) await run(storage, population);
  const times: number[] = [];
  const before = process.cpuUsage();
  const cost = await postgres.costOf(async () => {
    for (let number = 0; number < count; number += 1) {
      const startedAt = performance.now();
      await run(storage, population);
      times.push(performance.now() - startedAt);
    }
  });
  const own = process.cpuUsage(before);
  const sorted = times.toSorted((one, other) => one - other);
  const part = (share: number) => sorted[Math.floor(sorted.length * share)] ?? Number.NaN;
  return {
    title,
    p50Ms: part(0.5),
    p99Ms: part(0.99),
    databaseCpuUs: (cost.cpuSeconds * 1e6) / count,
    ownCpuUs: (own.user + own.system) / count,
    walBytes: cost.walBytes / count,
  };
}
