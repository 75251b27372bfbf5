import { Fragment } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { Collection, RecordItem } from '../api/types.ts';
import { Loading } from '../parts/loading.tsx';
import { useMinutes } from '../parts/use-clock.ts';
import { t } from '../parts/words.ts';
import { personNames } from '../people/person.ts';
import { nameOf } from '../records/record-name.ts';
import type { ListView } from '../records/use-list.ts';
import { display } from '../schema/display.ts';
import { Places } from './places.tsx';
import { planOf } from './plan.ts';
import { FirstAction, RowMenu, type RowProps, rowClass, Title } from './row.tsx';
import { dayHeading, startOf, timeOf } from './short.tsx';
import { State } from './state.tsx';
import type { Deeds } from './use-deeds.tsx';
import { useRowKeys } from './use-row-keys.ts';

interface AgendaProps {
  readonly view: ListView;
  readonly deeds: Deeds;
  readonly items: readonly RecordItem[];
}

/** The records by day, with a line for now. What is over is folded. */
export function Agenda({ view, deeds, items }: AgendaProps) {
  const { collection, choice, setChoice, selection } = view;
  const { day } = planOf(collection);
  const now = new Date(useMinutes());
  const [hasOver, setOver] = useState(false);
  const name = day?.name ?? '';
  useEffect(() => {
    if (choice.sort !== name) setChoice({ ...choice, sort: name });
  }, [name]);
  const isMoment = day?.shape.kind === 'moment';
  const timeZone = isMoment ? undefined : 'UTC';
  const at = (record: RecordItem) => new Date(String(record[name]));
  const dated = items
    .filter((record) => !Number.isNaN(at(record).getTime()))
    .toSorted((one, other) => at(one).getTime() - at(other).getTime());
  const isOver = (record: RecordItem) =>
    isMoment ? at(record) < now : startOf(at(record), 'UTC') < startOf(now, undefined);
  const over = dated.filter(isOver);
  const shown = hasOver ? dated : dated.filter((record) => !isOver(record));
  const keys = useRowKeys({ collection, items: shown, deeds, selection });
  const names = personNames(shown.flatMap(({ owner }) => (typeof owner === 'string' ? [owner] : [])));
  if (choice.sort !== name) return <Loading what={collection.title} rows={8} />;
  const next = shown.find((record) => !isOver(record));
  return (
    <div class="agenda" {...keys.events}>
      {over.length > 0 && (
        <p class="over">
          <span>{t.agenda.over(over.length)}</span>
          <button type="button" class="link" aria-expanded={hasOver} onClick={() => setOver(!hasOver)}>
            {hasOver ? t.agenda.hide : t.agenda.show}
          </button>
        </p>
      )}
      <div
        ref={(element) => {
          keys.list.current = element;
          view.list.current = element;
        }}
      >
        {[...Map.groupBy(shown, (record) => startOf(at(record), timeZone))].map(([start, records]) => (
          <section key={start} aria-label={dayHeading(at(records[0] as RecordItem), timeZone, now)}>
            <h2 class="day">{dayHeading(at(records[0] as RecordItem), timeZone, now)}</h2>
            <ul>
              {records.map((record) => {
                const isNext =
                  isMoment && record === next && startOf(at(record), timeZone) === startOf(now, timeZone);
                const place = shown.indexOf(record);
                const props: RowProps = {
                  collection,
                  record,
                  names,
                  deeds,
                  selection,
                  at: place,
                  isCurrent: place === keys.current,
                };
                return (
                  <Fragment key={record.id}>
                    {isNext && (
                      <li class="now-line" aria-hidden="true">
                        {timeOf(now)}
                      </li>
                    )}
                    <li class={`slot ${rowClass(props)} ${isOver(record) ? 'over' : ''}`} data-at={place}>
                      <span class="slot-time">{isMoment ? timeOf(at(record)) : ''}</span>
                      <Title {...props} text={textOf(collection, record)} />
                      <State collection={collection} record={record} />
                      <Places collection={collection} record={record} />
                      <FirstAction {...props} />
                      <RowMenu {...props} />
                    </li>
                  </Fragment>
                );
              })}
            </ul>
          </section>
        ))}
      </div>
      {shown.length === 0 && <p class="empty-title">{t.agenda.nothing}</p>}
    </div>
  );
}

/** Where the day is the title, which stands at the left already: the other fields. */
function textOf(collection: Collection, record: RecordItem): string {
  const { title, day, fields } = planOf(collection);
  const name = nameOf(collection, record);
  if (title !== day) return name;
  const given = fields.filter((field) => field !== day && record[field.name] !== undefined);
  return (
    given.map(({ label, shape, name: of }) => `${label} ${display(shape, record[of])}`).join(' · ') || name
  );
}
