import { locale, t } from '../parts/words.ts';
import type { Field, Shape } from './shape.ts';

const formats = new Map<string, Intl.DateTimeFormat>();

/** Dates in the language of the page. */
export function dateFormat(options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const key = `${locale} ${JSON.stringify(options)}`;
  const known = formats.get(key) ?? new Intl.DateTimeFormat(locale, options);
  formats.set(key, known);
  return known;
}

export function displayMoment(text: string): string {
  return displayTime(text, { dateStyle: 'medium', timeStyle: 'short' });
}

function displayTime(text: string, options: Intl.DateTimeFormatOptions): string {
  const time = new Date(text);
  return Number.isNaN(time.getTime()) ? text : dateFormat(options).format(time);
}

/** A value: a year has no comma in it. */
function displayValue(number: number): string {
  return number.toLocaleString(locale, { useGrouping: 'min2', maximumFractionDigits: 20 });
}

export function displayNumber(number: number): string {
  return number.toLocaleString(locale);
}

/** A value as text for people. */
export function display(shape: Shape, value: unknown): string {
  if (value === undefined || value === null || value === '') return '–';
  switch (shape.kind) {
    case 'flag':
      return value ? t.yes : t.no;
    case 'number':
      return typeof value === 'number' ? displayValue(value) : String(value);
    case 'moment':
      return displayMoment(String(value));
    case 'date':
      return displayTime(String(value), { dateStyle: 'medium', timeZone: 'UTC' });
    case 'choice':
      return displayChoice(value);
    case 'list':
      return (value as readonly unknown[]).map((item) => display(shape.item, item)).join(', ') || '–';
    case 'group':
      return displayGroup(shape.fields, value as Record<string, unknown>);
    case 'json':
      return JSON.stringify(value);
    default:
      return String(value);
  }
}

export function displayChoice(value: unknown): string {
  if (value === null) return t.none;
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function displayGroup(fields: readonly Field[], value: Readonly<Record<string, unknown>>): string {
  const given = fields.filter(({ name }) => value[name] !== undefined);
  return given.map(({ label, shape, name }) => `${label}: ${display(shape, value[name])}`).join(', ') || '–';
}

const units = [
  { unit: 'day', seconds: 86_400 },
  { unit: 'hour', seconds: 3600 },
  { unit: 'minute', seconds: 60 },
  { unit: 'second', seconds: 1 },
] as const;

/** A duration in its two largest units: "12 s", "4 min 5 s", "2 h", "3 d 1 h". */
export function duration(seconds: number): string {
  const whole = Math.max(0, Math.ceil(seconds));
  const largest = units.findIndex((unit) => whole >= unit.seconds);
  const [first = units[3], second] = largest === -1 ? [] : units.slice(largest, largest + 2);
  const count = Math.floor(whole / first.seconds);
  const rest = Math.floor((whole - count * first.seconds) / (second?.seconds ?? Number.POSITIVE_INFINITY));
  const words = `${count} ${t.units[first.unit]}`;
  return second === undefined || rest === 0 ? words : `${words} ${rest} ${t.units[second.unit]}`;
}
