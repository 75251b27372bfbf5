import type { Collection, Data } from './data.ts';
import { ago, bytes, number } from './format.ts';
import { Card, Commands, Facts, Mark, Section } from './parts.tsx';
import { isNearlyFull } from './problems.ts';

export function DataSection(data: Data) {
  const { at, collections } = data;
  return (
    <Section id="data" title="Data">
      {collections !== undefined && <CollectionsCard at={at} collections={collections} />}
      <DatabaseCard {...data} />
    </Section>
  );
}

function DatabaseCard({ at, database, health }: Data) {
  const stored = database?.value ?? null;
  const check = health.checks?.database ?? 'does not answer';
  const disk = stored?.disk ?? null;
  return (
    <Card title="Database">
      <Mark mood={check === 'ok' ? 'good' : 'bad'}>
        {check === 'ok' ? 'Answers and accepts writes' : `The database ${check}`}
      </Mark>
      {database?.fault && (
        <p class="soft">
          These numbers are of {ago(database.as_of, at)}: {database.fault}.
        </p>
      )}
      {stored !== null && (
        <Facts
          facts={[
            ['Size', bytes(stored.bytes)],
            disk && [
              'Free on its disk',
              <Mark key="disk" mood={isNearlyFull(disk) ? 'bad' : 'good'}>
                {bytes(disk.free)}, {Math.floor((disk.free / disk.bytes) * 100)} %
              </Mark>,
            ],
            [
              'Last backup',
              database?.engine === 'postgres'
                ? 'not known here (pg_dump)'
                : stored.last_backup === null
                  ? 'none by vestibule backup'
                  : `${ago(stored.last_backup.at, at)}, ${bytes(stored.last_backup.bytes)}`,
            ],
            ['Schema', `version ${stored.schema_version}; migration: ${stored.migration}`],
            ['Event log', `positions ${stored.events.first} to ${stored.events.last}`],
          ]}
        />
      )}
      <Commands
        of="the database"
        all={['doctor', 'backup vestibule-backup.db', 'migrate --plan', 'scrub', 'audit']}
      />
    </Card>
  );
}

/** The rest is folded. */
const maxCollections = 12;

function CollectionsCard({
  at,
  collections,
}: {
  readonly at: string;
  readonly collections: readonly Collection[];
}) {
  const [shown, others] = [collections.slice(0, maxCollections), collections.slice(maxCollections)];
  return (
    <Card title="Collections" wide>
      {collections.length === 0 ? (
        <>
          <p class="soft">No collections are declared.</p>
          <Commands of="collections" all={['check', 'check --matrix']} />
        </>
      ) : (
        <CollectionTable at={at} collections={shown} name="Collections" />
      )}
      {others.length > 0 && (
        <details>
          <summary>{others.length} more</summary>
          <CollectionTable at={at} collections={others} name="More collections" />
        </details>
      )}
    </Card>
  );
}

interface CollectionTableProps {
  readonly at: string;
  readonly collections: readonly Collection[];
  readonly name: string;
}

const columns = ['Collection', 'Records', 'Size', 'Writes', 'States', 'Counted'];

/** On a phone each row is a block, and its cells are labelled. */
function CollectionTable({ at, collections, name }: CollectionTableProps) {
  return (
    <table class="collections" aria-label={name}>
      <thead>
        <tr>
          {columns.map((column) => (
            <th key={column} scope="col">
              {column}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {collections.map((collection) => (
          <CollectionRow key={collection.name} at={at} {...collection} />
        ))}
      </tbody>
    </table>
  );
}

function CollectionRow({ at, name, title, states, ...collection }: Collection & { readonly at: string }) {
  const total = states?.reduce((sum, { records }) => sum + records, 0) ?? null;
  const size = states?.reduce((sum, one) => sum + one.bytes, 0) ?? null;
  const named = (states ?? []).filter(({ state }) => state !== null);
  const sorted = named.toSorted((one, other) => other.records - one.records);
  return (
    <tr>
      <th scope="row">
        {name} <span class="soft">{title}</span>
      </th>
      <td data-label="Records">{total === null ? 'counting…' : number(total)}</td>
      <td data-label="Size">{bytes(size)}</td>
      <td data-label="Writes">
        {number(collection.writes_per_second)}/s, {number(collection.writes_last_hour)} in 1 h
      </td>
      <td>
        {sorted.length > 0 && total !== null && <Shares states={sorted} total={total} />}
        {sorted.map(({ state, records }) => (
          <span key={state} class="state">
            {state} <b>{number(records)}</b>
          </span>
        ))}
      </td>
      <td class="soft" data-label="Counted">
        {collection.counted_at === null ? '–' : ago(collection.counted_at, at)}
      </td>
    </tr>
  );
}

interface SharesProps {
  readonly states: NonNullable<Collection['states']>;
  readonly total: number;
}

/** A bar of 100 with a part for each state, the largest first. */
function Shares({ states, total }: SharesProps) {
  let before = 0;
  const parts = states.map(({ state, records }) => {
    const width = (records / Math.max(total, 1)) * 100;
    before += width;
    return { state, x: before - width, width };
  });
  return (
    <svg class="shares" viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true">
      {parts.map(({ state, x, width }, index) => (
        <rect key={state} class={`share-${index % 4}`} x={x} width={width} height="8" />
      ))}
    </svg>
  );
}
