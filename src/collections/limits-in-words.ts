import type { Collection, CollectionLimits, Rate } from './collection.ts';

const units = { day: 86_400_000, hour: 3_600_000, minute: 60_000, second: 1000 };

/** The limits of a collection, for people. */
export function limitsInWords({ limits }: Collection): string {
  const { perUser, bytes, writes, newcomer, expireMs } = limits;
  const sentences = [
    `A caller may have ${perUser} ${perUser === 1 ? 'record' : 'records'} of at most ${bytes} bytes each, and make ${rateInWords(writes)}.`,
    ...(newcomer === null
      ? []
      : [`Who is new here makes ${rateInWords(newcomer)} for the first ${durationInWords(newcomer.forMs)}.`]),
    ...(expireMs === null ? [] : [`A record is deleted ${durationInWords(expireMs)} after its last change.`]),
    'Machine clients are bound by the size only.',
  ];
  return sentences.join(' ');
}

/** The same for programs. */
export function limitsAsData({ perUser, bytes, writes, newcomer, expireMs }: CollectionLimits) {
  return {
    per_user: perUser,
    bytes,
    writes: rateAsData(writes),
    newcomer: newcomer === null ? null : { ...rateAsData(newcomer), for_seconds: newcomer.forMs / 1000 },
    expire_seconds: expireMs === null ? null : expireMs / 1000,
  };
}

function rateAsData({ count, windowMs }: Rate) {
  return { count, window_seconds: windowMs / 1000 };
}

function rateInWords({ count, windowMs }: Rate): string {
  const duration = durationInWords(windowMs);
  const each = duration.startsWith('1 ')
    ? `a ${duration.slice(2)}`.replace('a hour', 'an hour')
    : `in ${duration}`;
  return `${count} ${count === 1 ? 'write' : 'writes'} ${each}`;
}

/** In the largest unit that fits without a rest. */
function durationInWords(ms: number): string {
  const [name, unitMs] = Object.entries(units).find(([, each]) => ms % each === 0) ?? ['second', 1000];
  const count = ms / unitMs;
  return `${count} ${name}${count === 1 ? '' : 's'}`;
}
