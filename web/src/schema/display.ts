import type { Field, Shape } from './shape.ts';

const dateTime = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });
const dateOnly = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeZone: 'UTC' });

export function displayMoment(text: string): string {
  const time = new Date(text);
  return Number.isNaN(time.getTime()) ? text : dateTime.format(time);
}

/** A value as text for people. */
export function display(shape: Shape, value: unknown): string {
  if (value === undefined || value === null || value === '') return '–';
  switch (shape.kind) {
    case 'flag':
      return value ? 'Yes' : 'No';
    case 'moment':
      return displayMoment(String(value));
    case 'date':
      return displayDate(String(value));
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
  if (value === null) return 'None';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function displayDate(text: string): string {
  const time = new Date(text);
  return Number.isNaN(time.getTime()) ? text : dateOnly.format(time);
}

function displayGroup(fields: readonly Field[], value: Readonly<Record<string, unknown>>): string {
  const given = fields.filter(({ name }) => value[name] !== undefined);
  return given.map(({ label, shape, name }) => `${label}: ${display(shape, value[name])}`).join(', ') || '–';
}

const conjunction = new Intl.ListFormat('en-GB');

/** "a", "a and b", "a, b and c". */
export function listed(words: readonly string[]): string {
  return conjunction.format(words);
}

/** "One record", "3 records". */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${count.toLocaleString()} ${count === 1 ? one : many}`;
}

const units = [
  { name: 'd', seconds: 86_400 },
  { name: 'h', seconds: 3600 },
  { name: 'min', seconds: 60 },
  { name: 's', seconds: 1 },
];

/** A duration in its two largest units: "12 s", "4 min 5 s", "2 h", "3 d 1 h". */
export function duration(seconds: number): string {
  const whole = Math.max(0, Math.ceil(seconds));
  const largest = units.findIndex((unit) => whole >= unit.seconds);
  const [first = units.at(-1), second] = largest === -1 ? [] : units.slice(largest, largest + 2);
  const count = Math.floor(whole / (first?.seconds ?? 1));
  const rest = Math.floor(
    (whole - count * (first?.seconds ?? 1)) / (second?.seconds ?? Number.POSITIVE_INFINITY),
  );
  return `${count} ${first?.name}${rest > 0 ? ` ${rest} ${second?.name}` : ''}`;
}
