import type { Rate } from './collection.ts';

const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;

const durationUnits: Readonly<Record<string, number>> = { s: second, min: minute, h: hour, d: day };
const rateUnits: Readonly<Record<string, number>> = { ...durationUnits, second, minute, hour, day };
const longestMs = 3650 * day;
const mostInWindow = 1_000_000;

/** `30s`, `15min`, `12h` or `90d` in milliseconds; null for anything else, nothing at all and more than ten years. */
export function parseDuration(text: string): number | null {
  const [, count = '', unit = ''] = /^(\d{1,9})(s|min|h|d)$/.exec(text) ?? [];
  const milliseconds = Number(count) * (durationUnits[unit] ?? 0);
  return milliseconds > 0 && milliseconds <= longestMs ? milliseconds : null;
}

/** `30/min`: so many a second, minute, hour or day. */
export function parseRate(text: string): Rate | null {
  const [, number = '', unit = ''] = /^(\d{1,7})\/(s|min|h|d|second|minute|hour|day)$/.exec(text) ?? [];
  const count = Number(number);
  return count > 0 && count <= mostInWindow ? { count, windowMs: rateUnits[unit] ?? 0 } : null;
}

/** `5/day for 7d`: a rate for whoever has not been here for that long. */
export function parseNewcomerRate(text: string): (Rate & { readonly forMs: number }) | null {
  const [rateText = '', durationText = '', ...more] = text.split(' for ');
  const rate = parseRate(rateText);
  const forMs = parseDuration(durationText);
  return rate === null || forMs === null || more.length > 0 ? null : { ...rate, forMs };
}

/** As an operator writes it: in the largest unit that leaves nothing over. */
export function durationText(milliseconds: number): string {
  const [unit, size] = Object.entries(durationUnits).findLast(([, ms]) => milliseconds % ms === 0) ?? [
    'ms',
    1,
  ];
  return `${milliseconds / size}${unit}`;
}

export function rateText({ count, windowMs }: Rate): string {
  const unit = Object.entries(durationUnits).find(([, ms]) => ms === windowMs)?.[0];
  return `${count}/${unit ?? durationText(windowMs)}`;
}
