import { durationForm, durationText, parseDuration, parseUnit, unitNames } from '../base/duration.ts';
import type { Rate } from './collection.ts';

const mostInWindow = 1_000_000;
/** What units are called in full. */
const fullNames: Readonly<Record<string, string>> = { second: 's', minute: 'min', hour: 'h', day: 'd' };

/** Regular expressions that a rate, and one for newcomers, match as a whole. */
export const rateForm = `(\\d{1,7})/(${[...unitNames, ...Object.keys(fullNames)].join('|')})`;
export const newcomerRateForm = `${rateForm} for ${durationForm}`;
const wholeRate = new RegExp(`^${rateForm}$`);

/** A duration that is not nothing. */
export function parsePeriod(text: string): number | null {
  return parseDuration(text) || null;
}

/** `30/min`: so many a second, minute, hour or day. */
export function parseRate(text: string): Rate | null {
  const [, number = '', unit = ''] = wholeRate.exec(text) ?? [];
  const count = Number(number);
  const windowMs = parseUnit(fullNames[unit] ?? unit);
  return count > 0 && count <= mostInWindow && windowMs !== null ? { count, windowMs } : null;
}

/** `5/day for 7d`: a rate for consumers who have not been here for that long. */
export function parseNewcomerRate(text: string): (Rate & { readonly forMs: number }) | null {
  const [rateText = '', periodText = '', ...more] = text.split(' for ');
  const rate = parseRate(rateText);
  const forMs = parsePeriod(periodText);
  return rate === null || forMs === null || more.length > 0 ? null : { ...rate, forMs };
}

/** A window is always one unit. */
export function rateText({ count, windowMs }: Rate): string {
  return `${count}/${durationText(windowMs).replace(/^1/, '')}`;
}
