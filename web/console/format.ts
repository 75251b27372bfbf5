const whole = new Intl.NumberFormat('en', { maximumFractionDigits: 0 });
const precise = new Intl.NumberFormat('en', { maximumSignificantDigits: 3 });

export function number(value: number | null | undefined): string {
  if (value === null || value === undefined) return '–';
  return (Number.isInteger(value) || value >= 100 ? whole : precise).format(value);
}

export function bytes(value: number | null): string {
  if (value === null) return '–';
  const units = ['bytes', 'kB', 'MB', 'GB', 'TB'];
  const power = Math.min(Math.floor(Math.log10(Math.max(value, 1)) / 3), units.length - 1);
  return `${precise.format(value / 1000 ** power)} ${units[power]}`;
}

/** A short time, such as a latency. */
export function milliseconds(seconds: number | null): string {
  if (seconds === null) return '–';
  return seconds < 1 ? `${precise.format(seconds * 1000)} ms` : `${precise.format(seconds)} s`;
}

export function duration(seconds: number): string {
  const past = Math.max(seconds, 0);
  if (past < 120) return `${Math.round(past)} s`;
  if (past < 7_200) return `${Math.round(past / 60)} min`;
  return past < 172_800 ? `${Math.round(past / 3_600)} h` : `${Math.round(past / 86_400)} days`;
}

/** Both times are those of the service: the clock of the browser may be wrong. */
export function since(at: string, now: string): string {
  return duration((Date.parse(now) - Date.parse(at)) / 1000);
}

export function ago(at: string | null, now: string): string {
  return at === null ? 'never' : `${since(at, now)} ago`;
}

export function ahead(at: string, now: string): string {
  return since(now, at);
}

/** A word of a command line, as a shell takes it. */
export function quoted(word: string): string {
  return /^[\w.:@%+=/-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
