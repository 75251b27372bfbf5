import type { Collection, Data } from './data.ts';
import { ago, bytes, milliseconds, number } from './format.ts';
import { Card, Commands, Facts, Mark, Section } from './parts.tsx';
import { isNearlyFull } from './problems.ts';

export function DataSection(data: Data) {
  const { at, collections } = data;
  return (
    <Section id="data" title="Data">
      <DatabaseCard {...data} />
      <WritesCard {...data} />
      {collections?.length === 0 && (
        <Card title="Collections">
          <p class="soft">No collections are declared.</p>
          <Commands of="collections" all={['check', 'check --matrix']} />
        </Card>
      )}
      {collections?.map((collection) => (
        <CollectionCard key={collection.name} at={at} {...collection} />
      ))}
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

function WritesCard({ write_queue: queue, sessions }: Data) {
  return (
    <Card title="Write queue">
      <Facts
        facts={[
          ['Waiting writes', number(queue.length)],
          ['Longest wait', milliseconds(queue.oldest_seconds)],
          ['Committed', `${number(queue.records_per_second)}/s`],
          sessions.limit === null
            ? null
            : [
                'PostgreSQL sessions',
                `${number(sessions.in_use)} of ${number(sessions.limit)} in use, ${number(sessions.waiting)} wait`,
              ],
        ]}
      />
    </Card>
  );
}

function CollectionCard({ at, name, title, states, ...collection }: Collection & { readonly at: string }) {
  const total = states?.reduce((sum, { records }) => sum + records, 0) ?? null;
  const size = states?.reduce((sum, one) => sum + one.bytes, 0) ?? null;
  const max = Math.max(...(states ?? []).map(({ records }) => records), 1);
  const named = (states ?? []).filter(({ state }) => state !== null);
  return (
    <Card title={name}>
      <p class="soft">{title}</p>
      <Facts
        facts={[
          ['Records', total === null ? 'counting…' : number(total)],
          ['Size', bytes(size)],
          [
            'Writes',
            `${number(collection.writes_per_second)}/s, ${number(collection.writes_last_hour)} in 1 h`,
          ],
        ]}
      />
      {named.length > 0 && (
        <ul class="bars">
          {named
            .toSorted((one, other) => other.records - one.records)
            .map(({ state, records }) => (
              <li key={state}>
                <span>{state}</span>
                <svg viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true">
                  <rect width={(records / max) * 100} height="8" />
                </svg>
                <b>{number(records)}</b>
              </li>
            ))}
        </ul>
      )}
      {collection.counted_at !== null && <p class="soft small">Counted {ago(collection.counted_at, at)}</p>}
    </Card>
  );
}
