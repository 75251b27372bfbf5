import { t } from '../parts/words.ts';
import { dateFormat, display } from '../schema/display.ts';
import type { Shape } from '../schema/shape.ts';

const dayMs = 86_400_000;

/** A value in a row: dates as people say them. */
export function Short({ shape, value }: { readonly shape: Shape; readonly value: unknown }) {
  if (value === undefined || value === null || value === '') return null;
  if (shape.kind === 'date' || shape.kind === 'moment')
    return (
      <time dateTime={String(value)} title={display(shape, value)}>
        {shortDate(String(value), shape.kind)}
      </time>
    );
  return <>{display(shape, value)}</>;
}

/** "today, 18:30", "tomorrow", "Fri 20 Nov", with the year if it is another one. */
export function shortDate(text: string, kind: 'date' | 'moment', now = new Date()): string {
  const time = new Date(text);
  if (Number.isNaN(time.getTime())) return text;
  const timeZone = kind === 'date' ? 'UTC' : undefined;
  const day = dayInWords(time, timeZone, now);
  return kind === 'date' ? day : t.date.at(day, dateFormat({ timeStyle: 'short' }).format(time));
}

export function dayInWords(time: Date, timeZone: string | undefined, now: Date): string {
  const days = Math.round((startOf(time, timeZone) - startOf(now, undefined)) / dayMs);
  if (Math.abs(days) <= 1) return relative().format(days, 'day');
  const isThisYear = time.getFullYear() === now.getFullYear();
  return dateFormat({
    weekday: 'short',
    day: 'numeric',
    month: 'short',
    ...(isThisYear ? {} : { year: 'numeric' }),
    timeZone,
  }).format(time);
}

/** "Today, Thursday 19 November"; from the day after tomorrow on without the first word. */
export function dayHeading(time: Date, timeZone: string | undefined, now: Date): string {
  const days = Math.round((startOf(time, timeZone) - startOf(now, undefined)) / dayMs);
  const long = dateFormat({ weekday: 'long', day: 'numeric', month: 'long', timeZone }).format(time);
  if (Math.abs(days) > 1) return long;
  const near = relative().format(days, 'day');
  return `${near.charAt(0).toUpperCase()}${near.slice(1)}, ${long}`;
}

export function timeOf(time: Date): string {
  return dateFormat({ hour: '2-digit', minute: '2-digit' }).format(time);
}

/** The day as a number that grows by `dayMs` from one to the next. */
export function startOf(time: Date, timeZone: string | undefined): number {
  return timeZone === 'UTC'
    ? Math.floor(time.getTime() / dayMs) * dayMs
    : Date.UTC(time.getFullYear(), time.getMonth(), time.getDate());
}

function relative(): Intl.RelativeTimeFormat {
  return new Intl.RelativeTimeFormat(t.language, { numeric: 'auto' });
}
