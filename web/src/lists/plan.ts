import type { Collection, RecordItem } from '../api/types.ts';
import { ownFields } from '../records/family.ts';
import type { Field } from '../schema/shape.ts';

/** What a list shows of a record, by the declaration alone. */
export interface Plan {
  /** Null: the record is called after its owner, or by its id. */
  readonly title: Field | null;
  /** The field that a checkbox in the row changes. */
  readonly tick: Field | null;
  /** The short fields, the most telling first. */
  readonly fields: readonly Field[];
  readonly views: readonly View[];
  /** The field that the agenda goes by. */
  readonly day: Field | null;
}

export type View = 'list' | 'table' | 'board' | 'agenda';

/** A text of so many characters fits into a row. */
const shortText = 60;
const most = { table: 7 };

const plans = new WeakMap<Collection, Plan>();

export function planOf(collection: Collection): Plan {
  const known = plans.get(collection);
  if (known !== undefined) return known;
  const plan = makePlan(collection);
  plans.set(collection, plan);
  return plan;
}

function makePlan(collection: Collection): Plan {
  const all = ownFields(collection);
  const title = titleOf(collection, all);
  const tick = all.find(({ shape }) => shape.kind === 'flag') ?? null;
  const isShown = (field: Field) => field !== title && field !== tick && isShort(collection, field);
  const isIndexed = ({ name }: Field) => collection.index.includes(name);
  const fields = all
    .filter(isShown)
    .map((field, place) => ({ field, weight: (isIndexed(field) ? 0 : 10) + kindWeight(field), place }))
    .toSorted((one, other) => one.weight - other.weight || one.place - other.place)
    .map(({ field }) => field);
  const day = all.find((field) => isDay(field) && isIndexed(field)) ?? null;
  const telling = fields.filter((field) => field.required || isIndexed(field));
  const hasPlaces = (collection.children ?? []).some(({ parent }) => parent?.capacity !== undefined);
  const views: View[] = [telling.length >= 3 ? 'table' : 'list'];
  if (Object.keys(collection.states ?? {}).length >= 3) views.push('board');
  if (day !== null) views[day.required && hasPlaces ? 'unshift' : 'push']('agenda');
  return { title, tick, fields: fields.slice(0, most.table - 1), views, day };
}

/** The first required text; without one a choice, then a date. Records of people who see each other are called after them. */
function titleOf({ aliases, parent }: Collection, fields: readonly Field[]): Field | null {
  const text = fields.find(({ shape, required }) => shape.kind === 'text' && required);
  if (text !== undefined) return text;
  if (aliases && parent?.owned_by === 'creator') return null;
  return (
    fields.find(({ shape }) => shape.kind === 'choice') ??
    fields.find(isDay) ??
    fields.find(({ shape }) => shape.kind === 'text') ??
    fields[0] ??
    null
  );
}

function isShort({ schema }: Collection, { name, shape }: Field): boolean {
  if (shape.kind !== 'text') return ['choice', 'date', 'moment', 'number'].includes(shape.kind);
  const property = (schema.properties as Readonly<Record<string, { maxLength?: number }>> | undefined)?.[
    name
  ];
  return !shape.long && (property?.maxLength ?? shortText + 1) <= shortText;
}

function kindWeight({ shape }: Field): number {
  const order = ['choice', 'date', 'moment', 'number', 'text'];
  return order.indexOf(shape.kind);
}

function isDay({ shape }: Field): boolean {
  return shape.kind === 'date' || shape.kind === 'moment';
}

/** How far a state is on its way: from 0 (the first) to 1 (no action leads on). */
export function progressOf({ states = {} }: Collection, state: string): number {
  if (isLast(states, state)) return 1;
  const [first = ''] = Object.keys(states);
  const done = steps(states, first, (one) => one === state);
  const left = steps(states, state, (one) => isLast(states, one));
  return done === 0 ? 0 : left === null || done === null ? 0.5 : done / (done + left);
}

type States = NonNullable<Collection['states']>;

export function isLastState({ states = {} }: Collection, { state }: RecordItem): boolean {
  return typeof state === 'string' && isLast(states, state);
}

/** No action leads on, or only back to where it came from. */
function isLast(states: States, state: string): boolean {
  const [first = ''] = Object.keys(states);
  const next = Object.values(states[state] ?? {}).map(({ to }) => to);
  if (state === first) return next.length === 0;
  const place = (one: string) => Object.keys(states).indexOf(one);
  return next.every((to) => place(to) < place(state));
}

/** The fewest actions from one state to another; null: there is no way. */
function steps(states: States, from: string, isThere: (state: string) => boolean): number | null {
  const seen = new Set([from]);
  for (let now = [from], count = 0; now.length > 0; count += 1) {
    if (now.some(isThere)) return count;
    now = now
      .flatMap((state) => Object.values(states[state] ?? {}).map(({ to }) => to))
      .filter((to) => !seen.has(to) && seen.add(to));
  }
  return null;
}
