import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import type { LoadGenerator } from './load.ts';

/** The measurement: GET /me beside its peers by default. */
export type Subject =
  | 'me'
  | 'memory'
  | 'token'
  | 'records'
  | 'events'
  | 'processes'
  | 'verify'
  | 'dpop'
  | 'start'
  | 'families'
  | 'requests'
  | 'files';

export interface Options {
  readonly subject: Subject;
  /** How many rounds; the median of them is reported. */
  readonly repeat: number;
  /** How long the tokens seen before are sent to a peer in one round. */
  readonly seconds: number;
  /** How many new tokens are sent to a peer in one round. */
  readonly newTokens: number;
  /** Names of the line-up; null is all of it. */
  readonly only: readonly string[] | null;
  /** Null is wrk where at hand, else autocannon. */
  readonly load: LoadGenerator | null;
  /** How many records there are in the tables, smallest first. */
  readonly sizes: readonly number[];
  /** Another checkout, ready to run, that is measured beside this one; null is none. */
  readonly before: string | null;
  /** Everything is small, to see that it works. */
  readonly quick: boolean;
  /** Some default was changed, so the numbers must not stand beside those of a full run. */
  readonly partial: boolean;
}

const full = { repeat: 3, seconds: 5, newTokens: 20_000, sizes: [1_000, 100_000, 1_000_000] };
/** Three works on nine tables take a while. */
const fullRecords = { ...full, seconds: 3 };
/** So do ten servers, of which each framework has five. */
const fullVerify = { ...full, seconds: 2, newTokens: 10_000 };
/** Two sizes, and slices of the work in turn. */
const fullFamilies = { ...full, seconds: 2, sizes: [1_000, 1_000_000] };
const quick = { repeat: 1, seconds: 1, newTokens: 1_000, sizes: [1_000, 10_000] };

export function readOptions(): Options {
  const { values } = parseArgs({
    options: {
      quick: { type: 'boolean', default: false },
      repeat: { type: 'string' },
      seconds: { type: 'string' },
      'new-tokens': { type: 'string' },
      only: { type: 'string' },
      load: { type: 'string' },
      memory: { type: 'boolean', default: false },
      token: { type: 'boolean', default: false },
      records: { type: 'boolean', default: false },
      events: { type: 'boolean', default: false },
      processes: { type: 'boolean', default: false },
      verify: { type: 'boolean', default: false },
      dpop: { type: 'boolean', default: false },
      start: { type: 'boolean', default: false },
      families: { type: 'boolean', default: false },
      requests: { type: 'boolean', default: false },
      files: { type: 'boolean', default: false },
      before: { type: 'string' },
      sizes: { type: 'string' },
    },
  });
  const whole = values.records
    ? fullRecords
    : values.verify
      ? fullVerify
      : values.families
        ? fullFamilies
        : full;
  const base = values.quick ? quick : whole;
  const repeat = wholeNumber('--repeat', values.repeat) ?? base.repeat;
  const seconds = wholeNumber('--seconds', values.seconds) ?? base.seconds;
  const newTokens = wholeNumber('--new-tokens', values['new-tokens']) ?? base.newTokens;
  const sizes = wholeNumbers('--sizes', values.sizes) ?? base.sizes;
  const only = values.only?.split(',').map((name) => name.trim()) ?? null;
  const load = loadGenerator(values.load);
  const lessThanFull = repeat < whole.repeat || seconds < whole.seconds || newTokens < whole.newTokens;
  const otherSizes = sizes.join() !== whole.sizes.join();
  return {
    subject: subjectOf(values),
    repeat,
    seconds,
    newTokens,
    only,
    load,
    sizes,
    quick: values.quick,
    before: values.before === undefined ? null : resolve(values.before),
    partial: lessThanFull || otherSizes || only !== null,
  };
}

function subjectOf(values: Readonly<Record<string, unknown>>): Subject {
  const others = [
    'token',
    'records',
    'memory',
    'events',
    'processes',
    'verify',
    'dpop',
    'start',
    'families',
    'requests',
    'files',
  ] as const;
  return others.find((subject) => values[subject] === true) ?? 'me';
}

function wholeNumber(name: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (!/^[1-9]\d{0,6}$/.test(text)) throw new Error(`${name} must be a whole number from 1 to 9999999.`);
  return Number(text);
}

function wholeNumbers(name: string, text: string | undefined): readonly number[] | undefined {
  const numbers = text?.split(',').map((part) => wholeNumber(name, part.trim()) ?? 0);
  return numbers?.toSorted((one, other) => one - other);
}

function loadGenerator(text: string | undefined): LoadGenerator | null {
  if (text === undefined || text === 'wrk' || text === 'autocannon') return text ?? null;
  throw new Error('--load must be "wrk" or "autocannon".');
}
