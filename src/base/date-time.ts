import { RecentMap, rememberLast } from './recent-map.ts';

const dayMs = 86_400_000;
const two = Array.from({ length: 60 }, (_, number) => String(number).padStart(2, '0'));
/** Ten years of days: formatting the date part is expensive, and a page may have records of any age. */
const maxDays = 4_000;
const dates = new RecentMap<number, string>(maxDays);

const dateOf = rememberLast((day: number) => {
  const known = dates.get(day);
  if (known !== undefined) return known;
  const date = new Date(day * dayMs).toISOString().slice(0, 'yyyy-mm-ddT'.length);
  dates.set(day, date);
  return date;
});

/** The same as `toISOString`, in a quarter of the time. */
export function dateTime(milliseconds: number): string {
  const whole = Math.trunc(milliseconds);
  const day = Math.floor(whole / dayMs);
  const seconds = Math.floor((whole - day * dayMs) / 1000);
  const time = `${two[Math.floor(seconds / 3600)]}:${two[Math.floor(seconds / 60) % 60]}:${two[seconds % 60]}`;
  return `${dateOf(day)}${time}.${String(whole % 1000).padStart(3, '0')}Z`;
}

export function isoTime(at: number): string;
export function isoTime(at: number | null): string | null;
export function isoTime(at: number | null): string | null {
  return at === null ? null : new Date(at).toISOString();
}
